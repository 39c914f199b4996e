/** The workflow of a route: a graph of ComfyUI, and the inputs of its nodes that a job fills. */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { capabilities } from '../../catalog/field-meaning.ts';
import type { Model } from '../../catalog/model.ts';
import { loadYaml } from '../../domain/lazy-packages.ts';
import type { ProviderTask } from '../../domain/provider.ts';
import {
  type DeclaredCapabilities,
  engineJobOf,
  mediaNames,
  sharedEngineOptions,
  valueNames,
} from '../kit/engine-job.ts';
import { singleValuePath } from '../kit/json-path.ts';
import { fieldValuesOf, type PlacedValue, type PlacedValues } from './fields.ts';

/** A graph as ComfyUI exports it for its API. */
const graphSchema = z.record(
  z.string(),
  z.looseObject({ class_type: z.string(), inputs: z.record(z.string(), z.json()) }),
);
/** Nodes by id. */
export type Graph = z.output<typeof graphSchema>;

const place = { node: z.string(), input: z.string() };
const parameterPlace = z.strictObject({ parameter: z.enum([...valueNames, ...mediaNames]), ...place });
const fieldPlace = z.strictObject({ field: singleValuePath, ...place });

/**
 * A workflow file: the graph, which node inputs take what, and whose files are the result. Either all inputs name a
 * parameter, which every model has, or all name a field of the one custom model that the workflow is for.
 */
const workflow = z
  .strictObject({
    graph: graphSchema,
    inputs: z.union([z.array(parameterPlace), z.array(fieldPlace)], {
      error: 'must be a list of node and input, each with a parameter or each with a field',
    }),
    outputs: z.array(z.string()).min(1),
    does: z.array(z.enum(capabilities)).default([]),
    fps: sharedEngineOptions.fps,
    frame_step: sharedEngineOptions.frame_step,
  })
  .superRefine(({ graph, inputs, outputs }, context) => {
    const fault = (message: string, ...path: readonly (string | number)[]) =>
      context.addIssue({ code: 'custom', message, path: [...path] });
    for (const [place, { node, input }] of inputs.entries()) {
      const value = graph[node]?.inputs[input];
      if (value === undefined) fault(`the graph has no input ${input} of a node ${node}`, 'inputs', place);
      else if (typeof value === 'object')
        fault(`the input ${input} of node ${node} is a link, not a value`, 'inputs', place);
    }
    for (const [place, node] of outputs.entries())
      if (!graph[node]) fault(`the graph has no node ${node}`, 'outputs', place);
  });
/** A workflow as it was read. */
export type Workflow = z.output<typeof workflow>;

/** The options of a route: the path of a workflow file, or its content. Read once, with the settings. */
export const comfyuiRouteOptions = z.strictObject({
  workflow: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .transform((option, context): Workflow => {
      const content = typeof option === 'string' ? readWorkflow(option) : withGraph(option, '.');
      const read = workflow.safeParse(content);
      if (read.success) return read.data;
      if (typeof content === 'string') {
        context.addIssue({ code: 'custom', message: content });
        return z.NEVER;
      }
      for (const { message, path } of read.error.issues) context.addIssue({ code: 'custom', message, path });
      return z.NEVER;
    }),
  ignores: sharedEngineOptions.ignores,
  voices: sharedEngineOptions.voices,
});

/** YAML or JSON; `graph` may name a file beside it. Returns an error sentence where one of them cannot be read. */
function readWorkflow(path: string): unknown {
  return withGraph(readData(path), dirname(path));
}

/** A workflow whose graph is a file, named relative to a folder; an error sentence where that cannot be read. */
function withGraph(content: unknown, folder: string): unknown {
  if (typeof content !== 'object' || content === null || !('graph' in content)) return content;
  if (typeof content.graph !== 'string') return content;
  const graph = readData(resolve(folder, content.graph));
  return typeof graph === 'string' ? graph : { ...content, graph };
}

function readData(path: string): unknown {
  try {
    return loadYaml().parse(readFileSync(path, 'utf8'));
  } catch {
    return `cannot read ${path}`;
  }
}

/** What the workflow of a route can do, as its operator declares it. */
export function declaredCapabilities(options: unknown): DeclaredCapabilities {
  const { workflow, ignores } = comfyuiRouteOptions.parse(options);
  const parameters = workflow.inputs.flatMap(one => ('parameter' in one ? one.parameter : []));
  return { parameters, does: workflow.does, ignores };
}

/** Where a field of a custom model goes. */
export type FieldPlace = z.output<typeof fieldPlace>;

/** Where the fields of a custom model go; null for a workflow of parameters. */
export function fieldPlacesOf(options: unknown): readonly FieldPlace[] | null {
  const { inputs } = comfyuiRouteOptions.parse(options).workflow;
  const places = inputs.flatMap(one => ('field' in one ? one : []));
  return places.length > 0 ? places : null;
}

/** A workflow with the values of one job. */
export interface FilledWorkflow {
  readonly graph: Graph;
  /** Ids of the nodes whose files are the result. */
  readonly outputs: readonly string[];
  /** Null where the workflow has no place for one. */
  readonly seed: number | null;
}

/** Fills a graph with the values of a job, each as a JSON value of its type: never written into text. */
export function fillWorkflow(
  model: Model,
  task: ProviderTask,
  uploads: Readonly<Record<string, string>>,
): FilledWorkflow {
  const { workflow, voices } = comfyuiRouteOptions.parse(task.routeOptions);
  const { graph, outputs, fps, frame_step } = workflow;
  const places = fieldPlacesOf(task.routeOptions);
  const values = places
    ? fieldValuesOf(model, task, { places, uploads })
    : parameterValuesOf(model, task, { workflow, uploads, engine: { fps, frame_step, voices } });
  const filled = new Map(Object.entries(graph));
  const set = (node: string, input: string, value: PlacedValue) => {
    const known = filled.get(node);
    if (known) filled.set(node, { ...known, inputs: { ...known.inputs, [input]: value } });
  };
  // A value that the job leaves out stays as the operator set it.
  for (const { node, input, value } of values.placed) if (value !== undefined) set(node, input, value);
  for (const node of outputs) {
    // A prefix per attempt: the engine answers an identical graph from its cache, without a file.
    if (typeof graph[node]?.inputs.filename_prefix === 'string')
      set(node, 'filename_prefix', `atelier/${task.dedupeKey}`);
  }
  return { graph: Object.fromEntries(filled), outputs, seed: values.seed };
}

/** The values of a job by the parameters that every model has. */
function parameterValuesOf(
  model: Model,
  task: ProviderTask,
  { workflow: { inputs }, uploads, engine }: ParameterContext,
): PlacedValues {
  const { values, media } = engineJobOf(model, task, engine);
  const places = inputs.flatMap(one => ('parameter' in one ? one : []));
  const placed = places.map(({ parameter, node, input }) => {
    const reference = media[parameter]?.reference;
    return { node, input, value: reference === undefined ? values[parameter] : uploads[reference] };
  });
  const isSeeded = places.some(({ parameter }) => parameter === 'seed');
  return { placed, seed: isSeeded ? Number(values.seed) : null };
}

interface ParameterContext {
  readonly workflow: Workflow;
  readonly uploads: Readonly<Record<string, string>>;
  /** What the workflow and the route say of the engine. */
  readonly engine: unknown;
}
