/** The timeline of a job: its spans as bars over one axis of time. */
import type { JobDetail } from '../../api/answers.ts';
import { formatDuration } from '../../components/format.ts';
import { useNow } from '../../components/relative-time.tsx';
import { type Span, spansOf } from './spans.ts';

/** The shortest bar, in percent of the axis, so that every span is visible. */
const leastShare = 0.8;

/** A gap between bars is time in which nothing was recorded. */
export function Timeline({ job }: { readonly job: JobDetail }) {
  // Bars of open spans grow each second, between two requests.
  const now = useNow(1_000);
  const spans = spansOf(job, now);
  const from = Math.min(...spans.map(span => span.from));
  // At least 1 ms, so that no bar is divided by zero.
  const to = Math.max(...spans.map(span => span.to), from + 1);
  return (
    <section className="card">
      <div className="card-head">
        <h2>Timeline</h2>
        <span className="soft number">{formatDuration(to - from)} in all</span>
      </div>
      <ol className="timeline">
        {spans.map((span, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: spans stand in the order in which they happened.
          <Bar key={index} span={span} from={from} whole={to - from} />
        ))}
      </ol>
      <div className="timeline-axis small soft number" aria-hidden="true">
        <span>{new Date(from).toLocaleTimeString()}</span>
        <span>+{formatDuration((to - from) / 2)}</span>
        <span>+{formatDuration(to - from)}</span>
      </div>
    </section>
  );
}

/** `from` and `whole` are those of the axis. */
function Bar({ span, from, whole }: { readonly span: Span; readonly from: number; readonly whole: number }) {
  const width = Math.max(leastShare, ((span.to - span.from) / whole) * 100);
  // A bar at the end that is widened to the least width must not stand out of the axis.
  const left = Math.min(100 - width, ((span.from - from) / whole) * 100);
  const took = formatDuration(span.to - span.from);
  return (
    <li>
      <span className="cut">{span.name}</span>
      <span className="timeline-track">
        <span
          className={`timeline-bar ${span.tone}`}
          data-open={span.isOpen}
          style={{ left: `${left}%`, width: `${width}%` }}
        />
      </span>
      <span className="small number cut" title={span.says}>
        {span.isOpen ? `${took} …` : took}
        {span.says && <span className={span.tone === 'bad' ? 'fault' : 'soft'}> · {span.says}</span>}
      </span>
    </li>
  );
}
