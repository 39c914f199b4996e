import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';

/** Operations: a stop takes at most this long. */
const longestStopSeconds = 25;
const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

/** What is filled in by whoever installs it. */
const filledIn = {
  ATELIER_DATABASE_URL: 'postgres://atelier@database.test/atelier',
  ATELIER_SECRET: 'a-secret-of-some-length',
  ATELIER_ADMIN_TOKEN: 'a-token-of-some-length-and-a-bit-more',
  POSTGRES_PASSWORD: 'a-password',
  S3_SECRET: 'a-secret',
};

test('the image is made of files that are there, and of none that hold data or secrets', async () => {
  const copied = [...(await read('Dockerfile')).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from]) =>
    from!.split(' '),
  );
  assert.deepEqual(copied, [
    'package.json',
    'package-lock.json',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'console',
    'package.json',
    'LICENSE',
    'bin',
    'src',
    'client/src',
  ]);
  const [everything, ...rules] = (await read('.dockerignore')).split('\n').filter(line => /^[^#]/.test(line));
  assert.equal(everything, '*');
  const allowed = rules.filter(line => line.startsWith('!'));
  // Of the console, what was made on this machine stays here.
  assert.deepEqual(
    rules.filter(line => !line.startsWith('!')),
    ['console/dist', 'console/node_modules'],
  );
  for (const path of copied) {
    assert.ok(existsSync(fileURLToPath(new URL(path, root))), path);
    assert.ok(allowed.includes(`!${path}`), path);
  }
  assert.equal(allowed.length, new Set(copied).size);
});

test('the settings of compose.yaml are settings, and every service that works has time to stop', async () => {
  const { services } = parse(await read('compose.yaml'), { merge: true });
  assert.deepEqual(Object.keys(services).toSorted(), ['api', 'migrate', 'postgres', 'proxy', 's3', 'worker']);
  for (const name of ['migrate', 'api', 'worker']) {
    const { environment, stop_grace_period: grace, image } = services[name];
    assert.equal(image, 'atelier');
    assert.ok(Number.parseInt(grace, 10) > longestStopSeconds);
    const { role, s3, publicUrl } = readConfig(interpolate(environment));
    assert.equal(role, name === 'migrate' ? 'all' : name);
    assert.deepEqual([s3?.bucket, s3?.endpoint], ['atelier', 'http://s3:7070']);
    assert.equal(publicUrl, 'http://localhost:8080');
  }
  const [mount] = services.s3.volumes;
  assert.match(mount, /:\/s3\/atelier$/);
});

test('pods have time to stop, start without root, and get no settings but those that are given', async () => {
  const folder = new URL('deploy/kubernetes/', root);
  const documents: Manifest[] = [];
  for (const name of await readdir(folder)) {
    const text = await readFile(new URL(name, folder), 'utf8');
    documents.push(...parseAllDocuments(text).map(document => document.toJS() as Manifest));
  }
  const pods = documents.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  assert.deepEqual(
    pods.map(({ kind, metadata }) => `${kind} ${metadata.name ?? metadata.generateName}`).toSorted(),
    ['Deployment atelier-api', 'Deployment atelier-worker', 'Job atelier-migrate-'],
  );
  for (const { kind, spec } of pods) {
    const { template, replicas } = spec;
    const { containers, terminationGracePeriodSeconds = 30, ...pod } = template.spec;
    assert.equal(containers.length, 1);
    assert.ok(terminationGracePeriodSeconds >= longestStopSeconds + 5);
    // A service of the name `atelier` would set ATELIER_PORT.
    assert.equal(pod.enableServiceLinks, false);
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.equal(containers[0]?.securityContext.readOnlyRootFilesystem, true);
    if (kind === 'Deployment') assert.equal(replicas, 3);
  }
  const settings = documents.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
  const config = readConfig({ ...filledSettings(), ...settings, ATELIER_ROLE: 'worker' });
  assert.equal(config.s3?.bucket, 'atelier-blobs');
  assert.equal(config.drainMs, 5_000);
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly generateName?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number;
        readonly enableServiceLinks?: boolean;
        readonly securityContext: { readonly runAsNonRoot?: boolean };
        readonly containers: readonly {
          readonly securityContext: { readonly readOnlyRootFilesystem?: boolean };
        }[];
      };
    };
  };
}

const filledSettings = () =>
  Object.fromEntries(Object.entries(filledIn).filter(([name]) => name.startsWith('ATELIER_')));

/** As compose does: `${NAME:-default}` and `${NAME:?why}`. */
function interpolate(environment: Readonly<Record<string, string>>): Record<string, string> {
  const given: Readonly<Record<string, string>> = filledIn;
  const fill = (text: string) =>
    text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (whole, name, kind, rest) => {
      const value = given[name] ?? (kind === '-' ? rest : undefined);
      if (value === undefined) throw new Error(`expected ${whole} to have a value`);
      return value;
    });
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, fill(text)]));
}
