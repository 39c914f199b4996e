/** Beside the form: result, request as code, rules and schema, history. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ModelDetail } from '../../api/answers.ts';
import { toJson } from '../../api/lossless-json.ts';
import { jobQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { toastFailure } from '../../components/toasts.tsx';
import { isMembers, type Members } from '../../form/input-value.ts';
import { History } from './history.tsx';
import { RequestCode } from './request-code.tsx';
import { Stage, type StageProps } from './stage.tsx';

/** The result is what a run switches to; the others are there without a run. */
const views = ['Result', 'Request', 'Schema', 'History'] as const;

/** A new run switches to its result. */
export function RunPane({
  input,
  take,
  ...stage
}: Omit<StageProps, 'restore'> & {
  readonly input: Members;
  /** Fills the form with the input of an earlier run. */
  readonly take: (input: Members) => void;
}) {
  const { model, running } = stage;
  const { jobId } = running.run;
  const queries = useQueryClient();
  const [view, setView] = useState<(typeof views)[number]>('Result');
  useEffect(() => {
    if (jobId !== null) setView('Result');
  }, [jobId]);

  // Lists of runs have no inputs: they can be large.
  async function restore(id: string) {
    try {
      const job = await queries.fetchQuery(jobQuery(id));
      if (isMembers(job.input)) take(job.input);
      running.show(id);
    } catch (failure) {
      toastFailure(failure);
    }
  }

  return (
    <section className="card stack" aria-label="Result">
      <Switcher label="What is shown" options={views} value={view} choose={setView} />
      {/* It stays mounted: what is pinned or compared outlives a look at the code. */}
      <div className="stage" hidden={view !== 'Result'}>
        <Stage {...stage} restore={id => void restore(id)} />
      </div>
      {view === 'Request' && <RequestCode model={model.id} input={input} />}
      {view === 'Schema' && <Rules model={model} />}
      {view === 'History' && <History model={model.id} take={id => void restore(id)} />}
    </section>
  );
}

/** The rules between fields as sentences, and the JSON Schema. */
function Rules({ model }: { readonly model: ModelDetail }) {
  const text = toJson(model.input_schema, 2);
  return (
    <div className="stack tight">
      {model.rules.length > 0 && (
        <>
          <h3>Rules between fields</h3>
          <ul className="rules">
            {model.rules.map(({ says }) => (
              <li key={says}>
                <Sentence text={says} />
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="row">
        <h3 className="grow">JSON Schema</h3>
        <CopyButton text={text} what="the schema" />
      </div>
      <Code text={text} label="The JSON Schema of the input" />
    </div>
  );
}
