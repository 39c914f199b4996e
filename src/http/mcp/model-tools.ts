/** MCP tools for models: list, describe, estimate. */

import { z } from 'zod';
import { inputOfModel, jsonOf, modelId } from './arguments.ts';
import { bodyOf } from './gateway-client.ts';
import { defineTool } from './tool.ts';

/** What the tools read of a model; other members are passed on as they are. */
const line = z.looseObject({ id: z.string(), kind: z.string(), title: z.string(), summary: z.string() });
/** The answer of the list. */
const list = z.looseObject({ data: z.array(line) });

/** Lists the models. */
export const listModels = defineTool({
  name: 'list_models',
  title: 'List the models',
  description: 'Lists the generative models of this gateway: id, kind (video, image or speech), summary.',
  input: z.strictObject({
    kind: z.enum(['video', 'image', 'speech']).optional().describe('Only models of this kind.'),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ kind }, { gateway }, { signal }) {
    const { data } = bodyOf(await gateway.request('GET', '/v1/models', { signal }), list);
    const models = data.filter(model => kind === undefined || model.kind === kind);
    // Text for the model, structured content for the program: clients show one of the two.
    const lines = models.map(({ id, kind, summary }) => `${id} (${kind}): ${summary}`);
    const next = 'Next: describe_model with one of these ids describes its input.';
    return { text: [...lines, next].join('\n'), structured: { models } };
  },
});

/** The answer of a description. */
const description = z.looseObject({
  ...line.shape,
  input_schema: z.looseObject({}),
  rules: z.array(z.looseObject({ says: z.string() })),
  examples: z.array(z.unknown()),
});

/** Describes the input of one model. */
export const describeModel = defineTool({
  name: 'describe_model',
  title: 'Describe a model',
  description:
    'Describes the input of a model: JSON Schema of its input, rules between fields, bounds of media, an example. Read it before the first job of a model.',
  input: z.strictObject({ model: modelId }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ model }, { gateway }, { signal }) {
    const path = `/v1/models/${encodeURIComponent(model)}`;
    const described = bodyOf(await gateway.request('GET', path, { signal }), description);
    const { id, kind, title, summary, rules, examples, input_schema } = described;
    const text = [
      `${id} (${kind}): ${title}. ${summary}`,
      ...rules.map(({ says }) => `Rule: ${says}`),
      `Example: ${JSON.stringify(examples[0])}`,
      `Schema: ${JSON.stringify(input_schema)}`,
      'Leave out what you do not need: an omitted field has its default. Media fields also take the id of a file (upload_file).',
      'Next: submit_job (or generate) with such an input.',
    ];
    return { text: text.join('\n'), structured: described };
  },
});

/** The answer of a dry run. */
const verdict = z.looseObject({ billed_jobs: z.number() });

/** Validates an input without creating a job. */
export const estimateCost = defineTool({
  name: 'estimate_cost',
  title: 'Try an input, and count what would be billed',
  description:
    'Checks whether an input would be accepted, and as how many jobs it would be billed; nothing is stored. The gateway knows no prices.',
  input: z.strictObject({ model: modelId, input: inputOfModel }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ model, input }, { gateway }, { signal }) {
    const path = `/v1/models/${encodeURIComponent(model)}/validate`;
    const answered = await gateway.request('POST', path, { body: jsonOf(input), signal });
    const validated = bodyOf(answered, verdict);
    const jobs = validated.billed_jobs === 1 ? 'one job' : `${validated.billed_jobs} jobs`;
    return {
      text: `The input would be accepted and billed as ${jobs}. The operator of this gateway knows what a job costs.`,
      structured: validated,
    };
  },
});
