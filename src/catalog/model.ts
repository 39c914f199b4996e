/** The definition of a model, and the catalog entry that is made of it. */

import type { z } from 'zod';
import type { RenderPlan } from '../../engine/src/render-plan.ts';
import type { JobError, JobResult, JobState, Output, Priority } from '../domain/job.ts';
import type { Reference, ResolvedReference } from '../domain/reference.ts';
import { type Faults, type ParsedInput, parseInput } from './faults.ts';
import { type FieldMeaning, fieldsByMeaning } from './field-meaning.ts';
import { type FoundMedia, mediaFinder } from './media.ts';
import type { ResultUse } from './result-uses.ts';
import type { FactsAt, MediaRule, Rule } from './rule.ts';
import { omittedStripper } from './strip-omitted.ts';

/** What a model makes. */
export type Kind = 'video' | 'image' | 'speech';
/** Families have their own result keys; `own` is a custom model of the operator, with the core keys only. */
export type Family = 'alpha' | 'beta' | 'gamma' | 'delta' | 'epsilon' | 'zeta' | 'eta' | 'theta' | 'own';

/** A produced file with its address of the moment. */
export interface SignedOutput extends Output {
  /** Null once the file was deleted or has expired. */
  readonly url: string | null;
}

/** What a family's result keys are built from. Times in epoch ms. */
export interface ResultView<Input> {
  readonly jobId: string;
  readonly state: JobState;
  readonly input: Input;
  readonly externalTaskId: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly error: JobError | null;
  /** Null until the job completed. */
  readonly result: JobResult | null;
  readonly outputs: readonly SignedOutput[];
  /** The bytes of the first output as hexadecimal text; null where the model does not ask for them, or they are gone. */
  readonly audioHex: string | null;
}

/** What the file of a model states. */
export interface ModelDefinition<Schema extends z.ZodObject> {
  readonly id: string;
  readonly kind: Kind;
  readonly family: Family;
  readonly title: string;
  readonly summary: string;
  /** The body of a creation: types, bounds, defaults, and hints for forms. */
  readonly input: Schema;
  /** Top-level fields that another field of the body makes unused: they are not validated, stored or sent. */
  readonly unusedFields?: (body: Readonly<Record<string, unknown>>) => readonly string[];
  readonly rules?: readonly Rule<z.output<Schema>>[];
  readonly mediaRules?: readonly MediaRule<z.output<Schema>>[];
  /** Whether the medium at a path has no effect in this input: then it is not fetched. */
  readonly ignoresMedia?: (input: z.output<Schema>, path: string) => boolean;
  /** What an earlier result can be in an input. Default: nothing. */
  readonly uses?: readonly ResultUse[];
  /** References to earlier jobs; admission resolves them within the user. */
  readonly references?: (input: z.output<Schema>) => readonly Reference[];
  /** The input to store once its references are resolved: a final video inherits its draft's input. */
  readonly inherit?: (input: z.output<Schema>, referred: readonly ResolvedReference[]) => z.output<Schema>;
  /** The fields that `inherit` sets: one that the client gave must be equal. */
  readonly inheritedFields?: readonly string[];
  /** Contract 8. Default: 64 MB. */
  readonly maxBodyBytes?: number;
  /** The object with `callback_url` and `external_task_id`. Default: the body itself. */
  readonly deliveryGroup?: string;
  /** Seconds after creation at which the job expires. Default: no deadline of the model. */
  readonly deadlineSeconds?: (input: z.output<Schema>) => number;
  /** 1 for jobs that wait behind others. Default: 0. */
  readonly priority?: (input: z.output<Schema>) => Priority;
  /** Jobs that the caller pays for, at least 1. Default: 1. */
  readonly billedJobs?: (input: z.output<Schema>) => number;
  /** Whether the result has the sound itself, as `audioHex`. Default: never. */
  readonly inlineAudio?: (input: z.output<Schema>) => boolean;
  /** The plan of an input; at render time every medium is probed. */
  readonly render: (input: z.output<Schema>, factsAt: FactsAt) => RenderPlan;
  /** What of an input the local engine cannot render. Default: nothing. */
  readonly renderFaults?: (input: z.output<Schema>) => Faults;
  /** Fields that no plan has a place for, so that engines never see them. Default: none. */
  readonly unmappedFields?: readonly string[];
  /** The keys that users of this family know, beside the core ones. */
  readonly native: (view: ResultView<z.output<Schema>>) => Readonly<Record<string, unknown>>;
  /** The family's keys of each picture in `images`, beside the core ones. */
  readonly nativeImage?: (image: SignedOutput, input: z.output<Schema>) => Readonly<Record<string, unknown>>;
  readonly examples: readonly [z.input<Schema>, ...z.input<Schema>[]];
}

/** The task id and callback address that an upstream gets. */
export interface UpstreamDelivery {
  /** Null: it goes without one. */
  readonly externalTaskId: string | null;
  /** Absent or null: none. */
  readonly callbackUrl?: string | null;
}

/** A catalog entry. Its functions take an input that its `parse` returned, now or before it was stored. */
export interface Model {
  readonly id: string;
  readonly kind: Kind;
  readonly family: Family;
  readonly title: string;
  readonly summary: string;
  readonly schema: z.ZodObject;
  readonly rules: readonly Rule<never>[];
  readonly mediaRules: readonly MediaRule<never>[];
  readonly maxBodyBytes: number;
  readonly acceptsCallback: boolean;
  /** The path of the callback address, as faults name it. */
  readonly callbackField: string;
  readonly takesExternalTaskId: boolean;
  readonly examples: readonly unknown[];
  /** What an earlier result can be in an input. */
  readonly uses: readonly ResultUse[];
  /** The fields with that meaning, as dotted paths; those without a default first. */
  fieldsFor(meaning: FieldMeaning): readonly string[];
  /** Validates a body. */
  parse(body: unknown): ParsedInput;
  /** Every medium of an input that has an effect. */
  media(input: unknown): readonly FoundMedia[];
  /** The broken media rules, of those whose media are all probed. */
  mediaFaults(input: unknown, factsAt: FactsAt): Faults;
  references(input: unknown): readonly Reference[];
  inherit(input: unknown, referred: readonly ResolvedReference[]): unknown;
  /** Fields that a client gave with another value than the inherited one. */
  inheritFaults(input: unknown, given: readonly string[], referred: readonly ResolvedReference[]): Faults;
  callbackUrl(input: unknown): string | null;
  externalTaskId(input: unknown): string | null;
  /** The input for an upstream: with our task id and callback address, or none, instead of the client's. */
  withDelivery(input: unknown, delivery: UpstreamDelivery): Readonly<Record<string, unknown>>;
  /** Null: the input sets no deadline. */
  deadlineSeconds(input: unknown): number | null;
  priority(input: unknown): Priority;
  billedJobs(input: unknown): number;
  /** Whether the result body needs the first output as hexadecimal text. */
  inlineAudio(input: unknown): boolean;
  render(input: unknown, factsAt?: FactsAt): RenderPlan;
  renderFaults(input: unknown): Faults;
  readonly unmappedFields: readonly string[];
  native(view: ResultView<unknown>): Readonly<Record<string, unknown>>;
  nativeImage(image: SignedOutput, input: unknown): Readonly<Record<string, unknown>>;
}

const megabyte = 1024 * 1024;
/** Decisions 8: for every model without another bound. */
const defaultMaxBodyBytes = 64 * megabyte;

/** Makes the catalog entry of a model; defaults are those of `ModelDefinition`. */
export function defineModel<Schema extends z.ZodObject>(definition: ModelDefinition<Schema>): Model {
  type Input = z.output<Schema>;
  // Inputs were parsed by this schema, at admission or before they were stored.
  const trusted = (input: unknown): Input => input as Input;
  const rules = definition.rules ?? [];
  const mediaRules = definition.mediaRules ?? [];
  const findMedia = mediaFinder(definition.input);
  const withoutOmitted = omittedStripper(definition.input);
  const fields = fieldsByMeaning(definition.input);
  const withoutUnused = (body: unknown): unknown => {
    if (!definition.unusedFields || typeof body !== 'object' || body === null) return body;
    const unused = definition.unusedFields({ ...body });
    return Object.fromEntries(Object.entries(body).filter(([name]) => !unused.includes(name)));
  };
  const mediaOf = (input: unknown): readonly FoundMedia[] =>
    findMedia(input).filter(found => !definition.ignoresMedia?.(trusted(input), found.path.join('.')));
  const mediaPaths = (input: unknown): readonly string[] => [
    ...mediaOf(input).map(found => found.path.join('.')),
    ...(definition.references?.(trusted(input)) ?? []).map(reference => reference.path),
  ];
  const deliveryOf = (input: unknown, field: string): string | null => {
    const { deliveryGroup } = definition;
    const value = memberOf(deliveryGroup === undefined ? input : memberOf(input, deliveryGroup), field);
    return typeof value === 'string' ? value : null;
  };

  return {
    id: definition.id,
    kind: definition.kind,
    family: definition.family,
    title: definition.title,
    summary: definition.summary,
    schema: definition.input,
    rules,
    mediaRules,
    maxBodyBytes: definition.maxBodyBytes ?? defaultMaxBodyBytes,
    acceptsCallback: definition.deliveryGroup !== undefined || 'callback_url' in definition.input.shape,
    callbackField:
      definition.deliveryGroup === undefined ? 'callback_url' : `${definition.deliveryGroup}.callback_url`,
    takesExternalTaskId:
      definition.deliveryGroup !== undefined || 'external_task_id' in definition.input.shape,
    examples: definition.examples,
    uses: definition.uses ?? [],
    fieldsFor: meaning => fields.get(meaning) ?? [],
    parse: body => parseInput(definition.input, rules, withoutUnused(withoutOmitted(body))),
    media: mediaOf,
    mediaFaults: (input, factsAt) =>
      mediaRules
        .filter(
          rule => areProbed(rule.fields, mediaPaths(input), factsAt) && !rule.holds(trusted(input), factsAt),
        )
        .map(rule => ({ path: rule.fields[0], reason: rule.says })),
    references: input => definition.references?.(trusted(input)) ?? [],
    inherit: (input, referred) => definition.inherit?.(trusted(input), referred) ?? input,
    inheritFaults: (input, given, referred) => {
      const inherited = definition.inherit?.(trusted(input), referred) ?? input;
      const names = (definition.inheritedFields ?? []).filter(name => given.includes(name));
      return contradictingFields(names, input, { inherited, requested: referred[0]?.input });
    },
    callbackUrl: input => deliveryOf(input, 'callback_url'),
    externalTaskId: input => deliveryOf(input, 'external_task_id'),
    withDelivery: (input, delivery) => {
      const { deliveryGroup } = definition;
      const whole = membersOf(input);
      if (deliveryGroup === undefined) return withDeliveryMembers(whole, delivery);
      return { ...whole, [deliveryGroup]: withDeliveryMembers(membersOf(whole[deliveryGroup]), delivery) };
    },
    deadlineSeconds: input => definition.deadlineSeconds?.(trusted(input)) ?? null,
    priority: input => definition.priority?.(trusted(input)) ?? 0,
    billedJobs: input => definition.billedJobs?.(trusted(input)) ?? 1,
    inlineAudio: input => definition.inlineAudio?.(trusted(input)) ?? false,
    render: (input, factsAt = () => null) => definition.render(trusted(input), factsAt),
    renderFaults: input => definition.renderFaults?.(trusted(input)) ?? [],
    unmappedFields: definition.unmappedFields ?? [],
    native: view => definition.native(view as ResultView<Input>),
    nativeImage: (image, input) => definition.nativeImage?.(image, trusted(input)) ?? {},
  };
}

/** Fields whose value is neither the inherited one nor the one that the draft's client requested. */
const contradictingFields = (
  names: readonly string[],
  input: unknown,
  { inherited, requested }: { readonly inherited: unknown; readonly requested: unknown },
): Faults =>
  names
    // The draft's requested value counts, too: a seed of -1 became one that was drawn.
    .filter(name => [inherited, requested].every(whole => memberOf(input, name) !== memberOf(whole, name)))
    .map(name => ({ path: name, reason: `must equal the draft's value, ${memberOf(inherited, name)}` }));

/** Whether there are media at or below these fields, and all of them are probed. */
function areProbed(fields: readonly string[], paths: readonly string[], factsAt: FactsAt): boolean {
  const looked = paths.filter(path => fields.some(field => path === field || path.startsWith(`${field}.`)));
  return looked.length > 0 && looked.every(path => factsAt(path) !== null);
}

/** Replaces the task id and the callback address among the members of an object. */
function withDeliveryMembers(
  members: Readonly<Record<string, unknown>>,
  { externalTaskId, callbackUrl = null }: UpstreamDelivery,
) {
  const { callback_url: _, external_task_id: __, ...rest } = members;
  return {
    ...rest,
    ...(externalTaskId !== null && { external_task_id: externalTaskId }),
    ...(callbackUrl !== null && { callback_url: callbackUrl }),
  };
}

/** The members of an input that may still be anything; none where it is no object. */
const membersOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null ? { ...input } : {};

/** One member of it; undefined where there is none. */
const memberOf = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
