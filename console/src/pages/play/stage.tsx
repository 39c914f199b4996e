/** The stage of a model: its rendered example, then the run that is shown, with the last runs below. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { JobDetail, ModelDetail } from '../../api/answers.ts';
import type { Schema } from '../../api/input-schema.ts';
import { exampleOf } from '../../components/example-media.ts';
import { ExampleView } from '../../components/example-view.tsx';
import { Empty } from '../../components/page-states.tsx';
import { toastFailure } from '../../components/toasts.tsx';
import { isMembers, type Members } from '../../form/input-value.ts';
import { Compare } from './compare.tsx';
import { Filmstrip } from './filmstrip.tsx';
import { RunView } from './run-view.tsx';
import { seedPathOf, withNewSeed } from './seed.ts';
import { createRun, type Running } from './use-run.ts';
import { VaryDialog } from './vary-dialog.tsx';

/** Runs that are compared at once. */
const mostPinned = 4;

/** What the stage does to the rest of the page. */
export interface StageProps {
  readonly model: ModelDetail;
  readonly schema: Schema;
  readonly running: Running;
  /** False for viewers. */
  readonly mayRun: boolean;
  /** Shows an earlier run and fills the form with its input. */
  readonly restore: (jobId: string) => void;
  /** Fills the form with an example. */
  readonly fillExample: (example: unknown) => void;
}

/** A run that is chosen takes the place of a comparison. */
export function Stage({ model, schema, running, mayRun, restore, fillExample }: StageProps) {
  const queries = useQueryClient();
  const [pinned, setPinned] = useState<readonly string[]>([]);
  const [compared, setCompared] = useState<readonly string[]>([]);
  const [varied, setVaried] = useState<Members | null>(null);
  const { jobId } = running.run;
  function show(id: string) {
    setCompared([]);
    restore(id);
  }
  const pin = (id: string) =>
    setPinned(before =>
      before.includes(id) ? before.filter(one => one !== id) : [...before, id].slice(-mostPinned),
    );
  async function runAll(inputs: readonly Members[]) {
    try {
      const made: string[] = [];
      // One after the other: a refusal of the first is that of all.
      for (const input of inputs) made.push((await createRun(model.id, input)).request_id);
      setCompared(made);
    } catch (failure) {
      toastFailure(failure);
    } finally {
      void queries.invalidateQueries({ queryKey: ['history', model.id] });
    }
  }
  return (
    <div className="stack">
      {compared.length > 0 ? (
        <Compare jobIds={compared} show={show} close={() => setCompared([])} />
      ) : jobId === null ? (
        <FirstStage model={model} fillExample={mayRun ? fillExample : null} />
      ) : (
        <RunView
          jobId={jobId}
          actions={job =>
            mayRun && <Actions job={job} schema={schema} again={running.start} vary={setVaried} />
          }
        />
      )}
      {pinned.length > 1 && compared.length === 0 && (
        <button type="button" className="button" onClick={() => setCompared(pinned)}>
          Compare the {pinned.length} pinned runs
        </button>
      )}
      <Filmstrip model={model.id} jobId={jobId} show={show} pinned={pinned} pin={pin} />
      {varied !== null && (
        <VaryDialog
          schema={schema}
          input={varied}
          close={() => setVaried(null)}
          run={inputs => void runAll(inputs)}
        />
      )}
    </div>
  );
}

/** Before the first run: what the model makes of its example. */
function FirstStage({
  model,
  fillExample,
}: {
  readonly model: ModelDetail;
  /** Null for viewers. */
  readonly fillExample: ((example: unknown) => void) | null;
}) {
  const { picture, video, sound } = exampleOf(model.id);
  if ((picture ?? video ?? sound) === undefined)
    return (
      <Empty title="Nothing run yet">
        <p>Fill in the form and press Run. Greyed values are defaults and are not sent.</p>
      </Empty>
    );
  return (
    <figure className="output example">
      <ExampleView model={model.id} title={model.title} />
      <figcaption className="row wrap">
        <span className="grow small soft">
          An example, drawn by the local engine: procedural, not an AI model.
        </span>
        {fillExample !== null && (
          <button type="button" className="button slim" onClick={() => fillExample(model.examples[0])}>
            Use this example
          </button>
        )}
      </figcaption>
    </figure>
  );
}

/** What can be run next from an ended run. */
function Actions({
  job,
  schema,
  again,
  vary,
}: {
  readonly job: JobDetail;
  readonly schema: Schema;
  readonly again: (input: Members) => Promise<void>;
  readonly vary: (input: Members) => void;
}) {
  const { input } = job;
  if (job.completed_at === null || !isMembers(input)) return null;
  const hasSeed = seedPathOf(schema) !== null;
  return (
    <div className="row wrap">
      <button type="button" className="button" onClick={() => void again(withNewSeed(schema, input))}>
        {hasSeed ? 'Again with a new seed' : 'Again'}
      </button>
      <button type="button" className="button" onClick={() => vary(input)}>
        Vary one field …
      </button>
    </div>
  );
}
