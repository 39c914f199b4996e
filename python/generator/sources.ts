/** The generated files of the Python client: bodies, inputs and typed calls, from the OpenAPI document. */

import { clientNames } from '../../client/generator/body-types.ts';
import { models } from '../../src/catalog/index.ts';
import type { Model } from '../../src/catalog/model.ts';
import { openApi } from '../../src/http/openapi.ts';
import { routes } from '../../src/http/route-list.ts';
import { camel, declarationsOf, type Schema, type TypeStyle } from './python-types.ts';

/** Names that would be those of errors of the client. */
const errorNames: Readonly<Record<string, string>> = {
  GatewayError: 'GatewayErrorBody',
  DetailError: 'DetailErrorBody',
  FileError: 'FileErrorBody',
};

const head = (says: string): string =>
  `"""${says}\n\nMade from /openapi.json by \`node python/generator/write.ts\`: change the catalog or src/answers instead.\n"""\n\n` +
  'from __future__ import annotations\n\n';

/** Every generated file of python/src/atelier_client, by its name. */
export function generatedSources(): ReadonlyMap<string, string> {
  const { components } = openApi(routes, 'http://localhost') as unknown as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  const { schemas } = components;
  const isInput = (name: string) => name.endsWith('.input');
  const names = Object.keys(schemas);
  return new Map([
    [
      'bodies.py',
      moduleOf(
        'The bodies that the gateway answers. Times are Unix seconds.',
        names.filter(name => !isInput(name)),
        {
          schemas,
          nameOf,
          array: 'List',
        },
      ),
    ],
    [
      'inputs.py',
      moduleOf('The inputs of the models of the catalog.', names.filter(isInput), {
        schemas,
        nameOf,
        array: 'Sequence',
      }),
    ],
    ['_calls.py', callsSource()],
  ]);
}

function moduleOf(says: string, names: readonly string[], style: TypeStyle): string {
  const declared = names.flatMap(name => declarationsOf(style.nameOf(name), style.schemas[name]!, style));
  const text = declared.join('\n\n');
  const imports = ['Any', 'Dict', 'List', 'Literal', 'Mapping', 'Sequence', 'TypedDict', 'Union'].filter(
    word => new RegExp(`\\b${word}\\b`).test(text),
  );
  return `${head(says)}from typing import ${imports.join(', ')}\n\n\n${text}`;
}

/** `eta2.6-t2v.input` is Eta26T2vInput; a body is called as in the TypeScript client. */
function nameOf(schema: string): string {
  if (schema.endsWith('.input'))
    return `${camel(schema.slice(0, -'.input'.length).replaceAll('.', ''))}Input`;
  return errorNames[schema] ?? clientNames[schema] ?? schema;
}

const inputName = ({ id }: Model): string => nameOf(`${id}.input`);

const resultName: Readonly<Record<Model['kind'], string>> = {
  video: 'VideoResult',
  image: 'ImageResult',
  speech: 'SpeechResult',
};

/** A method with one overload a model, so that an editor knows the fields by the id. */
interface TypedMethod {
  readonly name: string;
  readonly options: string;
  readonly resultOf: (result: string) => string;
  readonly says: string;
}

const creation = 'idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None';
const submit: TypedMethod = {
  name: 'submit',
  options: creation,
  resultOf: () => 'JobHandle',
  says:
    'Creates a job. A retry after a lost answer returns the same job: nothing is made twice.\n\n' +
    '        idempotency_key: the same key with the same input is the same job, for 24 hours; a new one unless given.\n' +
    '        cancel_after: a deadline of the job itself, as `90s`, `5m` or seconds; after it the job ends as `expired`.\n        ',
};
const subscribe: TypedMethod = {
  name: 'subscribe',
  options:
    `${creation}, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), ` +
    'logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, ' +
    'on_update: Optional[Callable[[JobStatus], None]] = None',
  resultOf: result => `Finished[${result}]`,
  says:
    'Creates a job, waits for its end and returns its result. Raises a JobFailedError where it failed.\n\n' +
    '        deadline: seconds that all of it may take; the job itself goes on after it, and its id is in `job_id`.\n' +
    '        cancel_on_abort: also cancels the job when the deadline, an interrupt or a cancellation ends the wait.\n' +
    '        on_submit: called once, when the job exists. on_update: called with every change.\n' +
    '        The others are those of `queue.submit` and `queue.watch`.\n        ',
};

function callsSource(): string {
  const classes = [
    callsClass('SubmitCalls', submit, 'def'),
    callsClass('AsyncSubmitCalls', submit, 'async def'),
    callsClass('SubscribeCalls', subscribe, 'def'),
    callsClass('AsyncSubscribeCalls', subscribe, 'async def'),
  ];
  const inputs = models.map(inputName).toSorted();
  return [
    head('Calls that are typed by model id.'),
    'from typing import Any, Callable, Literal, Mapping, NewType, Optional, Union, overload\n\n',
    'from ._queue_flows import Finished, Poll\n',
    'from .bodies import CreatedJob, ImageResult, JobStatus, SpeechResult, VideoResult\n',
    `from .inputs import (\n${inputs.map(name => `    ${name},\n`).join('')})\n\n\n`,
    'class JobHandle(CreatedJob):\n    """A job that was created: the answer of a creation and its model."""\n\n    model: str\n\n\n',
    '# A model of the operator, whose input has no type here: `CustomModel("my-model")`.\nCustomModel = NewType("CustomModel", str)\n\n',
    '# A result of a model that is not known here.\n',
    'AnyResult = Union[VideoResult, ImageResult, SpeechResult]\n\n\n',
    classes.join('\n\n'),
  ].join('');
}

function callsClass(
  name: string,
  { name: method, options, resultOf, says }: TypedMethod,
  word: string,
): string {
  const overloaded = (model: string, input: string, result: string) =>
    `    @overload\n    ${word} ${method}(self, model: ${model}, input: ${input}, *, ${options}) -> ${resultOf(result)}: ...\n`;
  const call = `self._${method}(model, input, **options)`;
  return [
    `class ${name}:\n    """\`${method}\`, whose input is that of the model."""\n\n`,
    ...models.map(model => overloaded(`Literal["${model.id}"]`, inputName(model), resultName[model.kind])),
    overloaded('CustomModel', 'Mapping[str, Any]', 'AnyResult'),
    `    ${word} ${method}(self, model: str, input: Any, **options: Any) -> Any:\n        """${says}"""\n`,
    `        return ${word === 'def' ? call : `await ${call}`}\n\n`,
    `    ${word} _${method}(self, model: str, input: Any, **options: Any) -> Any:\n        raise NotImplementedError\n`,
  ].join('');
}
