/** A model from a workflow of ComfyUI: the inputs of its nodes that a client may set, and the nodes that save files. */

import { z } from 'zod';
import type { Kind } from '../catalog/model.ts';
import { exampleOf } from './example-values.ts';
import { titleOf } from './fal.ts';
import { ImportError } from './import-error.ts';
import { assembleModel, type ImportedModel } from './imported-model.ts';
import type { WrittenProperty } from './read-fields.ts';

/** A node: its class, and its inputs as values or as links to outputs of other nodes. */
const node = z.looseObject({
  class_type: z.string(),
  inputs: z.record(z.string(), z.unknown()),
});
/** A workflow as ComfyUI exports it for its API: nodes by id. */
const graphSchema = z.record(z.string(), node);
/** One node of the workflow. */
type Node = z.output<typeof node>;
/** The workflow, by the ids that its links name. */
type Graph = Readonly<Record<string, Node>>;

/** A workflow that is imported. */
export interface ComfyuiImport {
  /** Of the file, without its ending: the model is named after it. */
  readonly name: string;
  /** The path of the file, as the route names it. */
  readonly file: string;
  readonly kind: Kind | null;
}

/** Reads a workflow in the format of the API. Throws `ImportError`. */
export function importComfyui(json: unknown, { name, file, kind }: ComfyuiImport): ImportedModel {
  const graph = readGraph(json, file);
  const results = resultsOf(graph, file, kind);
  const places = placesOf(graph);
  if (!places.some(({ field }) => field === 'prompt') && !places.some(({ property }) => property.media))
    throw new ImportError(
      `${file} has no text and no picture that a client could set: no node of a prompt leads to a sampler, and none loads a file. Write the inputs by hand (docs/providers/comfyui.md, Fields of a custom model).`,
    );
  const properties = Object.fromEntries(places.map(({ field, property }) => [field, property]));
  const required = Object.keys(properties).filter(
    field => properties[field]?.default === undefined && !isOptional(field),
  );
  const example = Object.fromEntries(required.map(field => [field, exampleOf(properties[field], {}, field)]));
  const workflow = {
    graph: file,
    inputs: places.map(({ field, node: id, input }) => ({ field, node: id, input })),
    outputs: results.nodes,
  };
  const title = titleOf(name);
  return assembleModel(
    { name, kind: results.kind, title, summary: `${title}, a workflow of ComfyUI.` },
    { properties, required, example, notes: [], renamed: {} },
    { workflow },
    drawnNotes(graph, places),
  );
}

/** A seed is drawn where the client gives none. */
const isOptional = (field: string): boolean => field === 'seed';

/** The nodes of the file; throws an `ImportError` that says which export to choose. */
function readGraph(json: unknown, file: string): Graph {
  const graph = graphSchema.safeParse(json);
  if (graph.success && Object.keys(graph.data).length > 0) return graph.data;
  const isDrawing = z.looseObject({ nodes: z.array(z.unknown()) }).safeParse(json).success;
  throw new ImportError(
    isDrawing
      ? `${file} is a drawing of the editor, which has no names of inputs: in ComfyUI, export it by Workflow → Export (API).`
      : `${file} is not a workflow of ComfyUI: it must be nodes by id, each with class_type and inputs.`,
  );
}

/** The nodes that save files, by what they save. */
const savers: readonly (readonly [Kind, RegExp])[] = [
  ['video', /^(?:SaveVideo|SaveWEBM|SaveAnimatedWEBP|SaveAnimatedPNG|VHS_VideoCombine)$/],
  ['speech', /^SaveAudio/],
  ['image', /^SaveImage/],
];

/** The kind of model and the nodes that save it, in the order of `savers`; throws an `ImportError` where none saves. */
function resultsOf(graph: Graph, file: string, wanted: Kind | null) {
  for (const [kind, classes] of savers) {
    const nodes = Object.keys(graph).filter(id => classes.test(graph[id]?.class_type ?? ''));
    if (nodes.length > 0 && (wanted === null || wanted === kind)) return { kind, nodes };
  }
  throw new ImportError(
    `${file} has no node that saves ${wanted === null ? 'a picture, a video or a sound' : `results of the kind ${wanted}`} (SaveImage, SaveVideo, SaveAudio …): a preview is not kept. Add one in ComfyUI and export again.`,
  );
}

/** An input of a node that a field sets. */
interface Place {
  readonly field: string;
  readonly node: string;
  readonly input: string;
  readonly property: WrittenProperty;
}

/** Every input that becomes a field of the model. */
function placesOf(graph: Graph): readonly Place[] {
  const texts = textPlaces(graph);
  return [...texts, ...mediaPlaces(graph), ...numberPlaces(graph)];
}

/** Where a link leads: the id of a node. */
const linkOf = (value: unknown): string | null =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' ? value[0] : null;

/** Links that are followed from a sampler to its text; longer ways are not of a prompt. */
const maxSteps = 20;
/** Names under which nodes keep a text. */
const textInputs = ['text', 'prompt', 'value', 'string', 'tags', 'lyrics'];

/** The text inputs from which a link leads to an input of that name, such as `positive`. */
function textsBehind(graph: Graph, inputName: string): readonly Omit<Place, 'field' | 'property'>[] {
  const seen = new Set<string>();
  let ids = Object.values(graph).flatMap(({ inputs }) => linkOf(inputs[inputName]) ?? []);
  const found: Omit<Place, 'field' | 'property'>[] = [];
  for (let step = 0; step < maxSteps && ids.length > 0; step++) {
    const fresh = [...new Set(ids)].filter(id => !seen.has(id));
    ids = [];
    for (const id of fresh) {
      seen.add(id);
      const { inputs = {}, class_type: type = '' } = graph[id] ?? {};
      const own = textInputs.filter(input => typeof inputs[input] === 'string');
      found.push(...own.map(input => ({ node: id, input })));
      // An emptied condition has no words of its own.
      if (own.length === 0 && type !== 'ConditioningZeroOut') ids.push(...linksToText(inputs, inputName));
    }
  }
  return found;
}

/** The links of a node on the way to its text: of the same side where it has both. */
function linksToText(inputs: Readonly<Record<string, unknown>>, side: string): readonly string[] {
  const names = [side, 'conditioning', 'conditioning_to', 'text', 'prompt', 'guider', 'positive'];
  const [first] = names.map(name => linkOf(inputs[name])).filter(id => id !== null);
  return first === undefined ? [] : [first];
}

/** The prompt and the negative prompt. A text that leads to both sides is the prompt. */
function textPlaces(graph: Graph): readonly Place[] {
  const positive = [...textsBehind(graph, 'positive'), ...textsBehind(graph, 'conditioning')];
  const negative = textsBehind(graph, 'negative');
  const isPositive = ({ node: id, input }: { readonly node: string; readonly input: string }) =>
    positive.some(one => one.node === id && one.input === input);
  const prompt = { type: 'string', minLength: 1, maxLength: 10_000, widget: 'textarea' };
  return [
    ...distinct(positive).map(place => ({ field: 'prompt', ...place, property: prompt })),
    ...distinct(negative)
      .filter(place => !isPositive(place))
      .map(place => ({
        field: 'negative_prompt',
        ...place,
        property: {
          type: 'string',
          maxLength: 10_000,
          default: String(graph[place.node]?.inputs[place.input] ?? ''),
          widget: 'textarea',
        },
      })),
  ];
}

/** Each input once, although several links lead to it. */
const distinct = <One extends { readonly node: string; readonly input: string }>(
  places: readonly One[],
): readonly One[] => [...new Map(places.map(one => [`${one.node}.${one.input}`, one])).values()];

/** The nodes that load a file, and the input that names it. */
const loaders: readonly (readonly [medium: string, classes: RegExp, inputs: readonly string[]])[] = [
  ['image', /^LoadImage(?:Mask)?$/, ['image']],
  ['video', /^(?:LoadVideo|VHS_LoadVideo)$/, ['file', 'video']],
  ['audio', /^(?:LoadAudio|VHS_LoadAudioUpload)$/, ['audio']],
];

/** Every file is required: the sample of the workflow is never shown in the place of a client's. */
function mediaPlaces(graph: Graph): readonly Place[] {
  return loaders.flatMap(([medium, classes, names]) =>
    Object.entries(graph)
      .flatMap(([id, { class_type: type, inputs }]) => {
        const input = names.find(name => typeof inputs[name] === 'string');
        return classes.test(type) && input !== undefined ? [{ node: id, input }] : [];
      })
      .map((place, index) => ({
        field: index === 0 ? medium : `${medium}_${index + 1}`,
        ...place,
        property: { type: 'string', media: medium },
      })),
  );
}

/** Numbers that mean the same in every workflow, with bounds around what was drawn. */
const numbers: readonly (readonly [field: string, inputs: readonly string[], bounds: WrittenProperty])[] = [
  ['width', ['width'], { minimum: 16, maximum: 4096, unit: 'px' }],
  ['height', ['height'], { minimum: 16, maximum: 4096, unit: 'px' }],
  ['frames', ['length', 'num_frames', 'frames'], { minimum: 1, maximum: 1000 }],
  ['steps', ['steps'], { minimum: 1, maximum: 100 }],
  ['seed', ['seed', 'noise_seed'], { minimum: 0, maximum: 4_294_967_295, widget: 'seed' }],
];

/** One field for all inputs of a name that were drawn alike; a size of something else stays as it is. */
function numberPlaces(graph: Graph): readonly Place[] {
  return numbers.flatMap(([field, names, bounds]) => {
    const found = Object.entries(graph).flatMap(([id, { inputs }]) =>
      names.flatMap(input => {
        const value = inputs[input];
        return Number.isSafeInteger(value) ? [{ node: id, input, value: Number(value) }] : [];
      }),
    );
    const [first] = found;
    const alike = field === 'seed' ? found : found.filter(({ value }) => value === first?.value);
    const usual = field === 'seed' ? {} : { default: first?.value };
    const property = { type: 'integer', ...widen(bounds, first?.value), ...usual };
    return alike.map(({ node: id, input }) => ({ field, node: id, input, property }));
  });
}

/** A value that was drawn is within the bounds. */
const widen = (bounds: WrittenProperty, drawn: number | undefined): WrittenProperty =>
  drawn !== undefined &&
  typeof bounds.maximum === 'number' &&
  drawn > bounds.maximum &&
  bounds.widget === undefined
    ? { ...bounds, maximum: drawn }
    : bounds;

/** What the client cannot set stays as it was drawn. */
function drawnNotes(graph: Graph, places: readonly Place[]): readonly string[] {
  const isPlaced = (id: string, input: string) =>
    places.some(place => place.node === id && place.input === input);
  const drawn = Object.entries(graph).flatMap(([id, { inputs }]) =>
    Object.entries(inputs)
      .filter(([input, value]) => linkOf(value) === null && typeof value !== 'object' && !isPlaced(id, input))
      .map(([input]) => `${id}.${input}`),
  );
  return drawn.length === 0 ? [] : [`as drawn, for every job (node.input): ${drawn.join(', ')}`];
}
