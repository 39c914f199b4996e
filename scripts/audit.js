// npm run audit: advisories about the packages that are shipped. A high or critical one fails it; a registry that
// tells none, or that cannot be reached, is said and fails nothing.
import { spawnSync } from 'node:child_process';
import { root } from './setup.js';

/** What the gateway loads, and what the page of the console is built of. Tools of development are not shipped. */
const shipped = [['--omit=dev'], ['--workspace=atelier-console']];
const failing = ['high', 'critical'];
const timeoutMs = 120_000;

const reports = shipped.map(ask);
const silent = reports.find(({ whyNone }) => whyNone !== null);
if (silent) console.error(`npm run audit: skipped, the registry gave no advisories: ${silent.whyNone}`);

const advisories = uniqueOf(reports.flatMap(({ found }) => found));
for (const { severity, name, title, url } of advisories)
  console.error([severity, name, title, url].join('  '));
const isBad = advisories.some(({ severity }) => failing.includes(severity));
if (isBad) {
  console.error(
    'npm run audit: a package that is shipped has a high or critical advisory; `npm audit fix` may help',
  );
  process.exit(1);
}
if (!silent) console.error('npm run audit: no high or critical advisory about the packages that are shipped');

/** By the lock file, so that it is the same wherever it runs. `found`: each package with each of its advisories. */
function ask(which) {
  const args = ['audit', ...which, '--package-lock-only', '--json', '--fetch-retries=0'];
  const { stdout, error } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (error) return { found: [], whyNone: error.message };
  const report = parseJson(stdout);
  if (!report?.vulnerabilities) return { found: [], whyNone: report?.message || 'npm audit gave no report' };
  // A text in `via` names another package, which is in the list itself.
  const found = Object.values(report.vulnerabilities).flatMap(({ name, via }) =>
    via
      .filter(cause => typeof cause !== 'string')
      .map(({ severity, title, url }) => ({ severity, name, title, url })),
  );
  return { found, whyNone: null };
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function uniqueOf(advisories) {
  return [...new Map(advisories.map(one => [`${one.name} ${one.url}`, one])).values()];
}
