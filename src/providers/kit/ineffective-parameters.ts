import type { PromptParameters, RenderPlan } from '../../../engine/src/render-plan.ts';

type Effect = (parameters: PromptParameters) => boolean;

const always: Effect = () => true;
const chaos: Effect = parameters => parameters.chaos !== undefined;
const weird: Effect = parameters => parameters.weird !== undefined;
const stylize: Effect = parameters => parameters.stylize !== undefined;

/** What the local engine makes of parameters when it works on a picture; every other one changes nothing there. */
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

/** Decisions 9: the parameters of a prompt that had no effect, by name, for the log of the job; null where each had one. */
export function ineffectiveParametersNote(plan: RenderPlan): string | null {
  if (plan.kind !== 'image') return null;
  const looks = [plan, ...(plan.variants ?? [])].map(({ parameters = {} }) => parameters);
  const idle = (plan.parameterNames ?? []).filter(name => !looks.some(look => effects[name]?.(look)));
  return idle.length === 0 ? null : `These parameters of the prompt had no effect: ${idle.join(', ')}`;
}
