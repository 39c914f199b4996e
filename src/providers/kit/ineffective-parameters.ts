/** The parameters of a prompt that the local engine does not act on. */

import type { PromptParameters, RenderPlan } from '../../../engine/src/render-plan.ts';

/** Whether a parameter changes the picture, given the others of the prompt. */
type Effect = (parameters: PromptParameters) => boolean;

const always: Effect = () => true;
const chaos: Effect = parameters => parameters.chaos !== undefined;
const weird: Effect = parameters => parameters.weird !== undefined;
const stylize: Effect = parameters => parameters.stylize !== undefined;

/** When each parameter changes a picture of the local engine; every parameter that is missing here never does. */
const effects: Readonly<Record<string, Effect>> = {
  '--no': always,
  '--seed': always,
  '--repeat': always,
  '--r': always,
  '--chaos': chaos,
  '--c': chaos,
  '--weird': weird,
  '--w': weird,
  '--stylize': stylize,
  '--s': stylize,
  '--style': ({ style }) => style === 'raw',
};

/** Decisions 9: a note for the job's log on the parameters without effect; null where each had one. */
export function ineffectiveParametersNote(plan: RenderPlan): string | null {
  if (plan.kind !== 'image') return null;
  const variants = [plan, ...(plan.variants ?? [])].map(({ parameters = {} }) => parameters);
  const ineffective = (plan.parameterNames ?? []).filter(
    name => !variants.some(parameters => effects[name]?.(parameters)),
  );
  return ineffective.length === 0
    ? null
    : `These parameters of the prompt had no effect: ${ineffective.join(', ')}`;
}
