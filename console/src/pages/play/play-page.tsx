/** The playground of one model: its form or its JSON, and beside it the run. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { ModelDetail } from '../../api/answers.ts';
import { jobQuery, modelQuery } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { Loaded } from '../../components/page-states.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { type UsedFile, withUsedFile } from '../../form/fill-output.ts';
import { Form } from '../../form/form.tsx';
import { formSchema } from '../../form/form-schema.ts';
import { initialInput, isMembers, type Members } from '../../form/input-value.ts';
import { useMay } from '../../shell/session.ts';
import { keepDraft, readDraft } from './draft.ts';
import { Examples } from './examples.tsx';
import { JsonEditor } from './json-editor.tsx';
import { PlayBar } from './play-bar.tsx';
import { RunPane } from './run-pane.tsx';
import { useRun } from './use-run.ts';
import { usedFileQuery } from './used-file.ts';

/** The model is part of the path; what the form starts with is in the query. */
const route = getRouteApi('/play/$model');

/** Loads the model and, where the address names one, the earlier run whose input is used again. */
export function PlayPage() {
  const { model } = route.useParams();
  // `from`: a job to repeat; `use`: a file to start with; `final`: a draft to be made into its film.
  const { from, use, final } = route.useSearch();
  const query = useQuery(modelQuery(model));
  // Read once: the input of a job never changes.
  const source = useQuery({ ...jobQuery(from ?? ''), enabled: from !== undefined, refetchInterval: false });
  const used = useQuery({ ...usedFileQuery(use ?? ''), enabled: use !== undefined });
  if (from !== undefined && source.isPending)
    return (
      <Loaded query={source} what="the earlier run">
        {() => null}
      </Loaded>
    );
  if (use !== undefined && !used.isSuccess)
    return (
      <Loaded query={used} what="the file">
        {() => null}
      </Loaded>
    );
  return (
    <Loaded query={query} what="the model">
      {detail => (
        <Playground
          // Another model or another source is another playground, not a change of this one.
          key={`${model} ${from} ${use} ${final}`}
          model={detail}
          given={final === undefined ? source.data?.input : finalOf(final)}
          use={used.data}
        />
      )}
    </Loaded>
  );
}

/** The input that turns a finished draft into its final film. */
const finalOf = (draft: string): Members => ({
  content: [{ type: 'draft_task', draft_task: { id: draft } }],
});

/** The same input in both views; a switch loses nothing. */
type View = 'Form' | 'JSON';

/** What the form starts with. */
interface PlaygroundProps {
  readonly model: ModelDetail;
  /** The input of an earlier run. */
  readonly given: unknown;
  /** A file for the field that is meant for it. */
  readonly use: UsedFile | undefined;
}

/** The input of the earlier run, else the draft of this browser with the file in its slot, else an empty form. */
function startingInput({ model, given, use }: PlaygroundProps): Members {
  if (isMembers(given)) return given;
  const schema = formSchema(model.input_schema);
  const kept = readDraft(model.id) ?? initialInput(schema);
  return use === undefined ? kept : withUsedFile(schema, kept, use);
}

/** Remounted for another model or another starting input. */
function Playground(props: PlaygroundProps) {
  const { model } = props;
  const schema = useMemo(() => formSchema(model.input_schema), [model]);
  const [input, setInput] = useState<Members>(() => startingInput(props));
  const [view, setView] = useState<View>('Form');
  /** The key of the form: another one remounts it, so that it shows other values. */
  const [formKey, setFormKey] = useState(0);
  const mayRun = useMay('developer');
  const running = useRun(model.id);
  const { run } = running;
  const result = useScrollToResult(run.jobId);

  // At each change: a reload, or a visit of another page, must not lose an input.
  useEffect(() => keepDraft(model.id, input), [model.id, input]);

  function change(next: Members) {
    setInput(next);
    // What the gateway said was said of the former input.
    if (run.faults.size > 0 || run.refusal !== null || run.verdict !== null) running.clearFaults();
  }
  function restart(next: Members) {
    change(next);
    setFormKey(count => count + 1);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && mayRun) void running.start(input);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut beside the Run button.
    <div className="play" onKeyDown={onKeyDown}>
      <section className="card play-form" aria-label="Input">
        <PlayHead model={model} view={view} setView={setView} />
        <Examples model={model} take={restart} />
        {view === 'Form' ? (
          <Form key={formKey} schema={schema} input={input} change={change} faults={run.faults} />
        ) : (
          <JsonEditor key={formKey} input={input} change={change} />
        )}
        <PlayBar
          run={run}
          mayRun={mayRun}
          start={() => void running.start(input)}
          check={() => void running.check(input)}
          reset={() => restart(initialInput(schema))}
        />
      </section>
      <div ref={result} className="play-result">
        <RunPane model={model} input={input} jobId={run.jobId} show={running.show} take={restart} />
      </div>
    </div>
  );
}

/** On a narrow screen the result is below the form: a new run scrolls to it. */
function useScrollToResult(jobId: string | null) {
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (jobId !== null && window.innerWidth < 900) result.current?.scrollIntoView({ behavior: 'smooth' });
  }, [jobId]);
  return result;
}

/** Model, and the switch between form and JSON. */
function PlayHead({
  model,
  view,
  setView,
}: {
  readonly model: ModelDetail;
  readonly view: View;
  readonly setView: (view: View) => void;
}) {
  return (
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
  );
}
