/** The Dockerfile, compose.yaml and the Kubernetes manifests. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.ts';

/** Operations: a stop takes at most this long. */
const longestStopSeconds = 25;
const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

/** What the operator fills in at the installation. */
const filledIn = {
  ATELIER_METRICS_TOKEN: 'a-metrics-token-of-thirty-two-characters',
  S3_SECRET: 'a-secret',
};
/** The contents of the files of secrets, by the names that compose and Kubernetes give them. */
const secretFiles = {
  'database-url': 'postgres://atelier@database.test/atelier',
  'atelier-secret': 'a-secret-of-some-length',
  secret: 'a-secret-of-some-length',
  'admin-token': 'an-admin-token-of-thirty-two-characters',
};
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-deploy-'));
  for (const [name, text] of Object.entries(secretFiles)) await writeFile(join(folder, name), `${text}\n`);
});
after(() => rm(folder, { recursive: true, force: true }));

test('the image is made of files that are there, and of none that contain data or secrets', async () => {
  const copied = [...(await read('Dockerfile')).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from]) =>
    from!.split(' '),
  );
  assert.deepEqual(copied, [
    'package.json',
    'package-lock.json',
    'engine/package.json',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'console',
    'client',
    'ai-sdk',
    'package.json',
    'LICENSE',
    'bin',
    'src',
    'engine/src',
    'python/pyproject.toml',
    'python/README.md',
    'python/src',
  ]);
  const [everything, ...rules] = (await read('.dockerignore')).split('\n').filter(line => /^[^#]/.test(line));
  assert.equal(everything, '*');
  const allowed = rules.filter(line => line.startsWith('!'));
  // Of what is built, what was made on this machine stays here.
  assert.deepEqual(
    rules.filter(line => !line.startsWith('!')),
    ['ai-sdk/dist', 'client/dist', 'console/dist', 'console/node_modules'],
  );
  for (const path of copied) {
    assert.ok(existsSync(fileURLToPath(new URL(path, root))), path);
    assert.ok(allowed.includes(`!${path}`), path);
  }
  assert.equal(allowed.length, new Set(copied).size);
});

test('the image contains the bill of materials of what it runs, and of what its console is built of', async () => {
  const stages = (await read('Dockerfile'))
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
    .split(/^FROM \S+(?: AS (\w+))?\n/m);
  const stageOf = (name: string) => stages[stages.indexOf(name) + 1] ?? '';
  const image = stages.at(-1) ?? '';
  for (const [stage, bill] of [
    ['dependencies', 'sbom.json'],
    ['console', 'sbom-console.json'],
  ] as const) {
    const [install, sbom] = ['npm install ', 'npm sbom '].map(command => stageOf(stage).indexOf(command));
    assert.ok(install! >= 0 && sbom! > install!, stage);
    assert.match(stageOf(stage), new RegExp(`npm sbom .*--sbom-format=cyclonedx .*> ${bill}$`, 'm'));
    // It would leave out what a package of development uses, too.
    assert.doesNotMatch(stageOf(stage), /npm sbom .*--omit/);
    assert.ok(image.includes(`COPY --from=${stage} /atelier/${bill} ./\n`), bill);
  }
});

test('the settings of compose.yaml are settings, and every service that works has time to stop', async () => {
  const { services } = parse(await read('compose.yaml'), { merge: true });
  assert.deepEqual(Object.keys(services).toSorted(), ['api', 'migrate', 'postgres', 'proxy', 's3', 'worker']);
  for (const name of ['migrate', 'api', 'worker']) {
    const { environment, stop_grace_period: grace, image } = services[name];
    assert.equal(image, 'atelier');
    assert.ok(Number.parseInt(grace, 10) > longestStopSeconds);
    const { role, s3, publicUrl, secret, adminToken, databaseUrl } = readMounted(interpolate(environment));
    assert.deepEqual(
      [secret, adminToken, databaseUrl],
      [secretFiles.secret, secretFiles['admin-token'], secretFiles['database-url']],
    );
    assert.equal(role, name === 'migrate' ? 'all' : name);
    assert.deepEqual([s3?.bucket, s3?.endpoint], ['atelier', 'http://s3:7070']);
    assert.equal(publicUrl, 'http://localhost:8080');
  }
  const [mount] = services.s3.volumes;
  assert.match(mount, /:\/s3\/atelier$/);
});

test('of compose.yaml no container may more than it needs, and the rows have no way out', async () => {
  const { services, networks, secrets } = parse(await read('compose.yaml'), { merge: true });
  const added: Readonly<Record<string, readonly string[]>> = {
    proxy: ['NET_BIND_SERVICE'],
    postgres: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
  };
  const inNetworks = {
    api: ['front', 'back'],
    worker: ['front', 'back'],
    migrate: ['back'],
    proxy: ['front'],
    postgres: ['back'],
    s3: ['back'],
  };
  assert.deepEqual(Object.keys(services).toSorted(), Object.keys(inNetworks).toSorted());
  for (const [name, expected] of Object.entries(inNetworks)) {
    const service = services[name];
    assert.deepEqual(service.networks, expected, name);
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    assert.deepEqual(service.cap_add, added[name], name);
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    assert.ok(service.tmpfs.includes('/tmp'), name);
    for (const secret of service.secrets ?? []) assert.ok(secret in secrets, `${name} ${secret}`);
    // Only the proxy is reached from outside, and for operators from this machine alone.
    if (name !== 'proxy') assert.equal(service.ports, undefined, name);
  }
  const [clients, operators] = services.proxy.ports;
  assert.deepEqual(interpolate({ clients, operators }), {
    clients: '127.0.0.1:8080:8080',
    operators: '127.0.0.1:8081:8081',
  });
  assert.equal(networks.back.internal, true);
  assert.equal(services.api.environment.ATELIER_TRUSTED_PROXIES, networks.front.ipam.config[0].subnet);
  assert.ok((await read('.gitignore')).split('\n').includes('/secrets/'));
});

test('the proxy of compose.yaml answers operators on the address that is of this machine alone', async () => {
  const caddyfile = await read('deploy/compose/Caddyfile');
  const sites = new Map(
    [...caddyfile.matchAll(/^(\S+) \{\n([\s\S]*?)^\}$/gm)].map(([, name, lines]) => [name, lines ?? '']),
  );
  assert.deepEqual([...sites.keys()], ['(gateway)', ':8080', ':8081']);
  const closed = (site: string) =>
    /path (.+)\n\trespond @\w+ 404\n/.exec(sites.get(site) ?? '')?.[1]?.split(' ');
  assert.deepEqual(closed(':8080'), [
    ...['/metrics', '/metrics/*', '/admin', '/admin/*'],
    ...['/console', '/console/*'],
  ]);
  assert.deepEqual(closed(':8081'), ['/metrics', '/metrics/*']);
});

test('pods have time to stop, start without root, and get no settings but those that are given', async () => {
  const documents = await readKubernetes();
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
    assert.deepEqual(containers[0]?.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    // The network policies know every pod by it.
    assert.equal(template.metadata.labels.app, 'atelier');
    assert.deepEqual(pod.volumes.find(({ name }) => name === 'secrets')?.secret, {
      secretName: 'atelier',
      defaultMode: 0o440,
    });
    if (kind === 'Deployment') assert.equal(replicas, 3);
  }
  const settings = documents.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
  const config = readMounted({ ...settings, ATELIER_ROLE: 'worker' });
  assert.equal(config.s3?.bucket, 'atelier-blobs');
  assert.equal(config.drainMs, 5_000);
  assert.equal(config.secret, secretFiles.secret);
});

test('the ingress leads to what clients request, and to nothing of operators', async () => {
  const [ingress] = (await readKubernetes()).filter(({ kind }) => kind === 'Ingress');
  const [rule] = ingress?.spec.rules ?? [];
  assert.deepEqual(
    rule?.http.paths.map(({ path, pathType }) => `${pathType} ${path}`),
    [
      'Prefix /v1',
      'Prefix /model/v1',
      'Exact /mcp',
      'Prefix /docs',
      'Exact /openapi.json',
      'Exact /models.json',
      'Exact /llms.txt',
    ],
  );
});

test('network policies let in the ingress and Prometheus, and out to no private address', async () => {
  const policies = (await readKubernetes()).filter(({ kind }) => kind === 'NetworkPolicy');
  const specOf = (name: string) => policies.find(({ metadata }) => metadata.name === name)?.spec;
  assert.deepEqual(specOf('nobody'), { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  const sources = policies.flatMap(({ spec }) => spec.ingress ?? []).flatMap(({ from }) => from);
  assert.deepEqual(
    sources.map(({ namespaceSelector }) => namespaceSelector?.matchLabels),
    [{ 'kubernetes.io/metadata.name': 'ingress-nginx' }, { 'kubernetes.io/metadata.name': 'monitoring' }],
  );
  const blocks = (specOf('atelier-out')?.egress ?? [])
    .flatMap(({ to }) => to)
    .flatMap(({ ipBlock }) => (ipBlock ? [ipBlock] : []));
  assert.deepEqual(
    blocks.map(({ cidr }) => cidr),
    ['0.0.0.0/0', '2000::/3'],
  );
  const closed = new BlockList();
  for (const range of blocks[0]?.except ?? []) {
    const [network = '', bits] = range.split('/');
    closed.addSubnet(network, Number(bits));
  }
  for (const address of [
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '127.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
  ])
    assert.equal(closed.check(address), true, address);
  for (const address of ['1.1.1.1', '172.32.0.1', '203.0.113.7'])
    assert.equal(closed.check(address), false, address);
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly generateName?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly rules?: readonly {
      readonly http: { readonly paths: readonly { readonly path: string; readonly pathType: string }[] };
    }[];
    readonly ingress?: readonly { readonly from: readonly Peer[] }[];
    readonly egress?: readonly { readonly to: readonly Peer[] }[];
    readonly template: {
      readonly metadata: { readonly labels: { readonly app?: string } };
      readonly spec: {
        readonly volumes: readonly { readonly name: string; readonly secret?: unknown }[];
        readonly terminationGracePeriodSeconds?: number;
        readonly enableServiceLinks?: boolean;
        readonly securityContext: { readonly runAsNonRoot?: boolean };
        readonly containers: readonly {
          readonly securityContext: unknown;
        }[];
      };
    };
  };
}

/** One side of a network policy. */
interface Peer {
  readonly namespaceSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

async function readKubernetes(): Promise<readonly Manifest[]> {
  const manifests = new URL('deploy/kubernetes/', root);
  const texts = await Promise.all(
    (await readdir(manifests)).toSorted().map(name => readFile(new URL(name, manifests), 'utf8')),
  );
  return texts.flatMap(text => parseAllDocuments(text).map(document => document.toJS() as Manifest));
}

/** As a container reads its settings, with the files of its secrets where this test has them. */
function readMounted(environment: Readonly<Record<string, string>>) {
  const mounted = Object.entries(environment).map(([name, value]) => [
    name,
    name.endsWith('_FILE') ? join(folder, basename(value)) : value,
  ]);
  return readConfig(Object.fromEntries(mounted));
}

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
