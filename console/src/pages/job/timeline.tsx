/** The timeline of a job: one lane for the job and one for its callbacks, each with an axis of its own. */
import type { JobDetail } from '../../api/answers.ts';
import { formatDuration } from '../../components/format.ts';
import { useNow } from '../../components/relative-time.tsx';
import { type Axis, axisOf } from './axis.ts';
import { callbackSpansOf, type Span, spansOf } from './spans.ts';

/** The shortest bar, in percent of the axis, so that every span is visible. */
const leastShare = 0.8;

/** The total is that of the job: callbacks are sent after it has ended. */
export function Timeline({ job }: { readonly job: JobDetail }) {
  const now = useNow(1_000);
  const spans = spansOf(job, now);
  const callbacks = callbackSpansOf(job);
  const { from, to } = axisOf(spans);
  return (
    <section className="card">
      <div className="card-head">
        <h2>Timeline</h2>
        <span className="soft number">{formatDuration(to - from)} in all</span>
      </div>
      <Lane label="Job" spans={spans} />
      {callbacks.length > 0 && (
        <>
          <h3 className="lane-head">Callbacks</h3>
          <Lane label="Callbacks" spans={callbacks} />
        </>
      )}
    </section>
  );
}

/** A gap between bars is time in which nothing was recorded; a long one is folded and says how long it was. */
function Lane({ label, spans }: { readonly label: string; readonly spans: readonly Span[] }) {
  const axis = axisOf(spans);
  const idleMs = axis.folds.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <>
      <ol className="timeline" aria-label={label}>
        {spans.map((span, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: spans stand in the order in which they happened.
          <Bar key={index} span={span} axis={axis} />
        ))}
      </ol>
      <div className="timeline-axis small soft number">
        <span>{clockOf(axis.from)}</span>
        {idleMs > 0 && <span>{formatDuration(idleMs)} idle, folded</span>}
        <span>+{formatDuration(axis.to - axis.from)}</span>
      </div>
    </>
  );
}

/** The bar stands on the axis of its lane. */
function Bar({ span, axis }: { readonly span: Span; readonly axis: Axis }) {
  const start = axis.shareOf(span.from) * 100;
  const width = Math.max(leastShare, axis.shareOf(span.to) * 100 - start);
  const left = Math.min(100 - width, start);
  const took = formatDuration(span.to - span.from);
  return (
    <li>
      <span className="cut">{span.name}</span>
      <span className="timeline-track">
        {axis.folds.map(fold => (
          <span
            key={fold.left}
            className="timeline-fold"
            style={{ left: `${fold.left * 100}%`, width: `${fold.width * 100}%` }}
          />
        ))}
        <span
          className={`timeline-bar ${span.tone}`}
          data-open={span.isOpen}
          style={{ left: `${left}%`, width: `${width}%` }}
        >
          {span.progress !== undefined && (
            <span className="timeline-done" style={{ width: `${span.progress * 100}%` }} />
          )}
        </span>
      </span>
      <span className="small number cut" title={span.says}>
        {span.isOpen ? `${took} …` : took}
        {span.progress !== undefined && ` · ${Math.round(span.progress * 100)} %`}
        {span.says && <span className={span.tone === 'bad' ? 'fault' : 'soft'}> · {span.says}</span>}
      </span>
    </li>
  );
}

/** With milliseconds: jobs of a second have spans of a few. */
function clockOf(ms: number): string {
  const date = new Date(ms);
  return `${date.toLocaleTimeString(undefined, { hour12: false })}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
