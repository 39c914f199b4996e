/** The page of one model: its form or its JSON, and beside it the stage with the result. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { ModelDetail } from '../../api/answers.ts';
import { jobQuery, modelQuery, modelsQuery } from '../../api/queries.ts';
import { Loaded } from '../../components/page-states.tsx';
import { toast } from '../../components/toasts.tsx';
import type { ResultUse, UsedFile } from '../../form/fill-output.ts';
import { Form } from '../../form/form.tsx';
import { formSchema } from '../../form/form-schema.ts';
import { initialInput, type Members } from '../../form/input-value.ts';
import { useMay } from '../../shell/session.ts';
import { keepDraft } from './draft.ts';
import { Examples } from './examples.tsx';
import { FailureMenu } from './failure-menu.tsx';
import { JsonEditor } from './json-editor.tsx';
import { PlayBar } from './play-bar.tsx';
import { PlayHead, type View } from './play-head.tsx';
import { RunPane } from './run-pane.tsx';
import { exampleInput, startingInput } from './starting-input.ts';
import { withSwitch } from './switches.ts';
import { useExample } from './use-example.ts';
import { useRun } from './use-run.ts';
import { usedFileQuery } from './used-file.ts';

/** The model is part of the path; what the form starts with is in the query. */
const route = getRouteApi('/play/$model');

/** Loads the model and, where the address names one, the earlier run whose input is used again. */
export function PlayPage() {
  const { model } = route.useParams();
  // `from`: a job to repeat; `use`: a file to start with, `as`: its role; `final`: a draft to be made into its film.
  const { from, use, as, final } = route.useSearch();
  const query = useQuery(modelQuery(model));
  // Read once: the input of a job never changes.
  const source = useQuery({ ...jobQuery(from ?? ''), enabled: from !== undefined, refetchInterval: false });
  const used = useQuery({ ...usedFileQuery(use ?? ''), enabled: use !== undefined });
  const models = useQuery({ ...modelsQuery, enabled: as !== undefined });
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
  if (as !== undefined && !models.isSuccess)
    return (
      <Loaded query={models} what="the models">
        {() => null}
      </Loaded>
    );
  const uses = models.data?.data.find(({ id }) => id === model)?.uses;
  return (
    <Loaded query={query} what="the model">
      {detail => (
        <Playground
          // Another model or another source is another playground, not a change of this one.
          key={`${model} ${from} ${use} ${as} ${final}`}
          model={detail}
          given={final === undefined ? source.data?.input : finalOf(final)}
          use={used.data}
          as={uses?.find(({ role, kind }) => role === as && kind === used.data?.kind)}
        />
      )}
    </Loaded>
  );
}

/** The input that turns a finished draft into its final film. */
const finalOf = (draft: string): Members => ({
  content: [{ type: 'draft_task', draft_task: { id: draft } }],
});

/** What the form starts with. */
interface PlaygroundProps {
  readonly model: ModelDetail;
  /** The input of an earlier run. */
  readonly given: unknown;
  /** A file for the field that is meant for it. */
  readonly use: UsedFile | undefined;
  /** What the file becomes there. */
  readonly as: ResultUse | undefined;
}

/** Remounted for another model or another starting input. */
function Playground(props: PlaygroundProps) {
  const { model } = props;
  const schema = useMemo(() => formSchema(model.input_schema), [model]);
  const [input, setInput] = useState<Members>(() => startingInput({ ...props, schema }));
  const [view, setView] = useState<View>('Form');
  /** The key of the form: another one remounts it, so that it shows other values. */
  const [formKey, setFormKey] = useState(0);
  const mayRun = useMay('developer');
  const running = useRun(model.id);
  const { run } = running;
  const result = useScrollToResult(run.jobId);

  function change(next: Members) {
    setInput(next);
    // At each change: a reload, or a visit of another page, must not lose an input.
    keepDraft(model.id, next);
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
  function playFailure(text: string) {
    const next = withSwitch(schema, input, text);
    if (next === null) return toast('Write a prompt first: the switch stands in it.', { isBad: true });
    restart(next);
  }
  const example = useExample(schema, restart);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut beside the Run button.
    <div className="play" onKeyDown={onKeyDown}>
      <section className="card play-form" aria-label="Input">
        <PlayHead model={model} view={view} setView={setView} />
        <Examples model={model} schema={schema} isBusy={example.isBusy} fill={example.fill}>
          <FailureMenu model={model.id} play={playFailure} />
        </Examples>
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
          reset={() => {
            restart(exampleInput(model, schema));
            keepDraft(model.id, null);
          }}
          clear={() => restart(initialInput(schema))}
        />
      </section>
      <div ref={result} className="play-result">
        <RunPane
          model={model}
          schema={schema}
          input={input}
          running={running}
          mayRun={mayRun}
          take={restart}
          fillExample={example.fill}
        />
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
