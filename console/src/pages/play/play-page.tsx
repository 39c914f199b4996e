import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { jobQuery, modelQuery } from '../../api/queries.ts';
import type { ModelDetail } from '../../api/shapes.ts';
import { Form } from '../../form/form.tsx';
import { formSchema } from '../../form/form-schema.ts';
import { beginningOfForm, isMembers, type Members, mediaSlots, withValueAt } from '../../form/input-value.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/notes.tsx';
import { Switcher } from '../../parts/switcher.tsx';
import { costInWords, counted } from '../../parts/words.ts';
import { useMay } from '../../shell/session.ts';
import { keepDraft, readDraft } from './draft.ts';
import { Examples } from './examples.tsx';
import { JsonEditor } from './json-editor.tsx';
import { RunPane } from './run-pane.tsx';
import { useRun, type Verdict } from './use-run.ts';

const route = getRouteApi('/play/$model');

/** One model to be tried: its form, and beside it what came of a run. */
export function PlayPage() {
  const { model } = route.useParams();
  const { from, use, final } = route.useSearch();
  const asked = useQuery(modelQuery(model));
  const source = useQuery({ ...jobQuery(from ?? ''), enabled: from !== undefined, refetchInterval: false });
  if (from !== undefined && source.isPending)
    return (
      <Loaded asked={source} what="the earlier run">
        {() => null}
      </Loaded>
    );
  return (
    <Loaded asked={asked} what="the model">
      {told => (
        <Playground
          key={`${model} ${from} ${use} ${final}`}
          model={told}
          given={final === undefined ? source.data?.input : finalOf(final)}
          use={use}
        />
      )}
    </Loaded>
  );
}

/** The whole of what a finished draft was the preview of. */
const finalOf = (draft: string): Members => ({
  content: [{ type: 'draft_task', draft_task: { id: draft } }],
});

interface Given {
  readonly model: ModelDetail;
  /** The input of an earlier run. */
  readonly given: unknown;
  /** A file for the first slot that takes it. */
  readonly use: string | undefined;
}

function beginWith({ model, given, use }: Given): Members {
  if (isMembers(given)) return given;
  const schema = formSchema(model.input_schema);
  const kept = readDraft(model.id) ?? beginningOfForm(schema);
  const [slot] = use === undefined ? [] : mediaSlots(schema);
  const filled = slot ? withValueAt(kept, slot.path, use) : kept;
  return isMembers(filled) ? filled : kept;
}

function Playground(parts: Given) {
  const { model } = parts;
  const schema = useMemo(() => formSchema(model.input_schema), [model]);
  const [input, setInput] = useState<Members>(() => beginWith(parts));
  const [view, setView] = useState<'Form' | 'JSON'>('Form');
  /** Told anew, so that a form begins again with other values. */
  const [beginning, setBeginning] = useState(0);
  const mayRun = useMay('developer');
  const running = useRun(model.id);
  const { run } = running;
  const result = useRef<HTMLDivElement>(null);

  useEffect(() => keepDraft(model.id, input), [model.id, input]);
  useEffect(() => {
    if (run.jobId !== null && window.innerWidth < 900) result.current?.scrollIntoView({ behavior: 'smooth' });
  }, [run.jobId]);

  function change(next: Members) {
    setInput(next);
    if (run.faults.size > 0 || run.refusal !== null || run.verdict !== null) running.forgetFaults();
  }
  function begin(next: Members) {
    change(next);
    setBeginning(count => count + 1);
  }
  function hear(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && mayRun) void running.begin(input);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut beside the Run button.
    <div className="play" onKeyDown={hear}>
      <section className="card play-form" aria-label="Input">
        <div className="card-head">
          <div className="grow">
            <h1 className="row">
              <Icon name={model.kind} /> <span className="cut">{model.id}</span>
            </h1>
            <p className="soft small">{model.summary}</p>
          </div>
          <Link to="/play" className="button slim">
            Other model
          </Link>
          <Switcher label="How the input is shown" options={['Form', 'JSON']} value={view} choose={setView} />
        </div>
        <Examples model={model} take={begin} />
        {view === 'Form' ? (
          <Form key={beginning} schema={schema} input={input} change={change} faults={run.faults} />
        ) : (
          <JsonEditor key={beginning} input={input} change={change} />
        )}
        <div className="play-bar">
          {(run.refusal !== null || run.faults.size > 0) && (
            <p className="notice bad small grow" role="alert">
              {run.refusal ?? [...run.faults].map(([path, reason]) => `${path}: ${reason}`).join(' · ')}
            </p>
          )}
          <div className="row wrap">
            <button
              type="button"
              className="button main"
              disabled={run.isBusy || !mayRun}
              onClick={() => void running.begin(input)}
            >
              {run.isBusy ? 'One moment …' : 'Run'}
            </button>
            <button
              type="button"
              className="button"
              disabled={run.isBusy || !mayRun}
              onClick={() => void running.judge(input)}
            >
              Check
            </button>
            <button type="button" className="button quiet" onClick={() => begin(beginningOfForm(schema))}>
              Reset
            </button>
            <span className="grow" />
            <span className="small soft">
              {mayRun ? billing(run.verdict) : 'Your role may look, and not run.'}
            </span>
          </div>
        </div>
      </section>
      <div ref={result} className="play-result">
        <RunPane model={model} input={input} jobId={run.jobId} show={running.show} take={begin} />
      </div>
    </div>
  );
}

function billing(verdict: Verdict | null): string {
  if (verdict === null) return 'Runs under the key of the console';
  const jobs = `Would be billed as ${counted(verdict.billed_jobs, 'job')}`;
  return verdict.estimate === null
    ? `${jobs}; no price is set`
    : `${jobs}; about ${costInWords(verdict.estimate)}, an estimate`;
}
