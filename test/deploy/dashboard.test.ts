/** The Grafana dashboard requests only metrics that the gateway has, and all of them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const dashboardPath = new URL('../../deploy/grafana/atelier.json', import.meta.url);
const manualPath = new URL('../../docs/operating.md', import.meta.url);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

describe('the dashboard', () => {
  let gateway: TestGateway;
  let panels: readonly Panel[];
  let manual: string;
  /** Families, as /metrics has them. */
  let types: ReadonlyMap<string, string>;
  before(async () => {
    gateway = await startGateway();
    panels = JSON.parse(await readFile(dashboardPath, 'utf8')).panels;
    manual = await readFile(manualPath, 'utf8');
    const { body } = await gateway.ask('GET', '/metrics');
    const heads: Iterable<RegExpMatchArray> = body.matchAll(/^# TYPE (\S+) (\S+)$/gm);
    types = new Map([...heads].map(([, name, type]) => [name!, type!]));
  });
  after(() => gateway.close());

  const queries = () =>
    panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

  test('queries metrics that the gateway has, each by a name of its kind', () => {
    const wrong = queries().flatMap(({ title, expr }) =>
      seriesIn(expr)
        .filter(series => !isOf(types, series))
        .map(series => `${title}: ${series}`),
    );
    assert.deepEqual(wrong, []);
    assert.ok(queries().length > 20);
  });

  test('names every series of the gateway itself, and so does the manual', () => {
    const own = [...types.keys()].filter(name => name.startsWith('atelier_'));
    const shown = new Set(queries().flatMap(({ expr }) => seriesIn(expr).map(series => familyOf(series))));
    assert.deepEqual(
      own.filter(name => !shown.has(name)),
      [],
    );
    assert.deepEqual(
      own.filter(name => !manual.includes(`\`${name}\``)),
      [],
    );
  });

  test('adds nothing up that every process counts in the same rows', () => {
    const counted = [
      'atelier_jobs',
      'atelier_deliveries_pending',
      'atelier_doubts',
      'atelier_budget_alerts',
      'atelier_stored_bytes',
      'atelier_stored_bytes_of_user',
    ];
    for (const { expr } of queries()) {
      for (const name of counted.filter(one => seriesIn(expr).includes(one))) {
        assert.match(expr, new RegExp(`max(?: by \\([^)]+\\) )?\\(${name}\\{`));
      }
    }
  });
});

/** Names of series in an expression; quotes and braces contain labels. */
function seriesIn(expr: string): readonly string[] {
  const bare = expr.replace(/\{[^}]*\}/g, '');
  return [...bare.matchAll(/\b(?:atelier|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);
}

const familyOf = (series: string): string => series.replace(/_(?:bucket|count|sum)$/, '');

function isOf(types: ReadonlyMap<string, string>, series: string): boolean {
  const family = familyOf(series);
  return family === series
    ? ['gauge', 'counter'].includes(types.get(series) ?? '')
    : types.get(family) === 'histogram';
}
