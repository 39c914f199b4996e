/** The request log: refused requests of the last days by sentence and key. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { RefusalGroup } from '../../api/answers.ts';
import { refusalsQuery } from '../../api/queries.ts';
import { counted } from '../../components/format.ts';
import { Empty, Loaded, PageHead } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';

const route = getRouteApi('/refusals');

/** The times of a report, in hours of the admin API. */
const spans = { 'Last hour': '1', '24 hours': '24', '7 days': '168' } as const;
type Span = keyof typeof spans;
const spanNames = Object.keys(spans) as Span[];

/** Statuses, and what each means here. */
const statuses = [
  ['', 'Every status'],
  ['400', '400 Malformed'],
  ['401', '401 Without a valid key'],
  ['402', '402 Budget'],
  ['403', '403 Not allowed'],
  ['404', '404 Unknown'],
  ['413', '413 Too large'],
  ['422', '422 Invalid input'],
  ['429', '429 Too many'],
] as const;

/** Grouped, because a wrong client repeats its fault: a line is one fault to mend. */
export function RefusalsPage() {
  const { hours = '24', status = '', caller = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(refusalsQuery({ hours, status, caller }));
  const go = (change: Readonly<Record<string, string>>) =>
    void navigate({
      search: before =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== '')),
      replace: true,
    });
  const span = spanNames.find(name => spans[name] === hours) ?? '24 hours';
  return (
    <>
      <PageHead
        title="Request log"
        says="Requests that were refused, grouped by sentence and key. Counted for seven days, without their content."
      />
      <div className="filters">
        <Switcher label="Time" options={spanNames} value={span} choose={name => go({ hours: spans[name] })} />
        <select
          className="input"
          aria-label="Status"
          value={status}
          onChange={event => go({ status: event.target.value })}
        >
          {statuses.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        {caller !== '' && (
          <button
            type="button"
            className="chip"
            aria-label={`Remove the filter ${caller}`}
            onClick={() => go({ caller: '' })}
          >
            {caller} <span aria-hidden="true">×</span>
          </button>
        )}
      </div>
      <Loaded query={query} what="refused requests">
        {({ data, has_more }) =>
          data.length === 0 ? (
            <Empty title="No request was refused">
              <p>A refused call appears here within five seconds: 401, 402, 403, 404, 413, 422, 429.</p>
            </Empty>
          ) : (
            <>
              <Groups groups={data} choose={chosen => go({ caller: chosen })} />
              {has_more && <p className="more soft">These are the {data.length} most frequent groups.</p>}
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Groups({
  groups,
  choose,
}: {
  readonly groups: readonly RefusalGroup[];
  readonly choose: (caller: string) => void;
}) {
  return (
    <TableWrap label="Refused requests">
      <table className="lines refusals">
        <thead>
          <tr>
            <th className="right">Count</th>
            <th>Status</th>
            <th>Refusal</th>
            <th>From</th>
            <th className="right">First · last</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(group => (
            <Line
              key={`${group.caller} ${group.route} ${group.code} ${group.sentence}`}
              group={group}
              choose={choose}
            />
          ))}
        </tbody>
      </table>
    </TableWrap>
  );
}

function Line({
  group,
  choose,
}: {
  readonly group: RefusalGroup;
  readonly choose: (caller: string) => void;
}) {
  const { key, caller, requests, status, sentence, body_fields } = group;
  return (
    <tr>
      <td className="right number">
        <strong title={counted(requests, 'request')}>{requests.toLocaleString()}</strong>
      </td>
      <td>
        <span className={status === 429 ? 'badge wait number' : 'badge bad number'}>{status}</span>
      </td>
      <td className="about">
        <div className="anywhere">{sentence}</div>
        <div className="small soft anywhere">
          <code>{group.route}</code>
        </div>
        {body_fields !== null && (
          <div className="small soft anywhere">
            Fields of one body: {body_fields.length === 0 ? 'none' : body_fields.join(', ')}
          </div>
        )}
      </td>
      <td>
        <button
          type="button"
          className="link-button anywhere"
          title="Show this one alone"
          onClick={() => choose(caller)}
        >
          {key === null ? caller : (key.name ?? key.hint)}
        </button>
        <div className="small soft">
          {key === null ? (
            'no valid key'
          ) : (
            <Link to="/jobs" search={{ key: key.id }}>
              {key.user}
            </Link>
          )}
        </div>
      </td>
      <td className="right small soft nowrap push">
        <RelativeTime at={group.first_at} /> · <RelativeTime at={group.last_at} />
      </td>
    </tr>
  );
}
