/** Which test files share a process in `npm test`, and which batches `npm run test:fast` runs. */

/** Test files that run one after the other in one process; each file keeps its own gateway and its own hooks. */
export interface Batch {
  readonly name: string;
  /** Paths from the root without `.test.ts`. `folder/*` is every file of that folder that no batch names. */
  readonly files: readonly string[];
  /** Part of `npm run test:fast`: no engine, browser, fleet or kill, and no long wait. */
  readonly fast?: true;
  /** Waits for most of its time, so that it runs beside those that compute. */
  readonly waits?: true;
  /** Why its only file has a process of its own. */
  readonly alone?: string;
}

const within = (folder: string, names: string): readonly string[] =>
  names.split(' ').map(name => `${folder}/${name}`);

const measured = 'judges memory, open files or the event loop of its process';
const drawing = 'computes longer than a process takes to start';
const killing = 'starts and kills many processes, longer than its own takes to start';

/** In the order in which they start where no earlier run measured them: the longest first. */
export const batches: readonly Batch[] = [
  {
    name: 'console 1',
    files: within('test/console', 'console first-run explorer model-pages oidc'),
  },
  { name: 'engine/test-speech', files: ['engine/test/speech'], alone: drawing },
  { name: 'mounts', files: ['test/mounts/*', 'test/clients/*'], waits: true },
  { name: 'console 2', files: ['test/console/*'] },
  { name: 'engine/gamma-videos', files: ['test/engine/gamma-videos'], alone: drawing },
  {
    name: 'clients',
    files: [
      ...within('test/client', 'client package python served-package ai-sdk sdk-snippets'),
      'test/examples/*',
    ],
  },
  {
    name: 'contract waiting',
    files: [
      ...within('test/contract', 'get-response get-status create-job-deadline upload-rate'),
      'test/promises/i18-bounded-input',
    ],
    waits: true,
  },
  { name: 'contract', files: ['test/contract/*'], fast: true },
  { name: 'worker/kill', files: ['test/worker/kill'], alone: killing, waits: true },
  { name: 'worker/crash-matrix', files: ['test/worker/crash-matrix'], alone: killing },
  {
    name: 'trouble/databases away',
    files: within('test/trouble', 'postgres-away silent-postgres'),
    waits: true,
  },
  { name: 'callbacks waiting', files: ['test/callbacks/*'], waits: true },
  { name: 'worker/running-jobs', files: ['test/worker/running-jobs'], alone: drawing, waits: true },
  { name: 'engine/alpha', files: ['test/engine/alpha'], alone: drawing },
  {
    name: 'contract/media 1',
    files: within('test/contract', 'media-remote media-door file-facts'),
  },
  { name: 'promises', files: ['test/promises/*'] },
  { name: 'providers 3', files: within('test/providers', 'relay youchuan'), waits: true },
  { name: 'providers 6', files: ['test/providers/*'], waits: true },
  { name: 'providers 1', files: within('test/providers', 'vidu ark'), waits: true },
  {
    name: 'contract/media 2',
    files: within('test/contract', 'media-door-clips media-door-pictures upload-file-json'),
  },
  { name: 'cli 1', files: within('test/cli', 'processes stop'), waits: true },
  { name: 'fleet', files: ['test/fleet/*'], waits: true },
  { name: 'fleet/takeover', files: ['test/fleet/takeover'], alone: killing, waits: true },
  { name: 'providers 4', files: within('test/providers', 'pixverse comfyui cog'), waits: true },
  {
    name: 'providers 5',
    files: within('test/providers', 'openai-compatible declarative lightx2v ingress'),
    waits: true,
  },
  { name: 'store slow', files: ['test/store/audit', 'test/store/plans', 'test/worker/poller'], waits: true },
  { name: 'worker/submit-matrix', files: ['test/worker/submit-matrix'], alone: killing, waits: true },
  { name: 'worker/chaos', files: ['test/worker/chaos'], alone: killing },
  {
    name: 'media slow',
    files: [
      'test/media/hostile',
      'test/media/prober',
      'test/media/name-resolver',
      'test/blobs/s3',
      'test/upstream/*',
    ],
  },
  { name: 'cli 4', files: ['test/cli/*'] },
  { name: 'providers 2', files: within('test/providers', 'dashscope kling'), waits: true },
  { name: 'cli 2', files: within('test/cli', 'asking serve') },
  { name: 'trouble', files: ['test/trouble/*'] },
  { name: 'worker', files: ['test/worker/*'] },
  { name: 'promises/i08', files: ['test/promises/i08-poison-stays-put'], alone: killing, waits: true },
  { name: 'worker/kill-renders', files: ['test/worker/kill-renders'], alone: killing, waits: true },
  { name: 'engine/speech', files: ['test/engine/speech'], alone: drawing },
  {
    name: 'pure',
    files: [
      'test/*',
      'test/domain/*',
      'test/catalog/*',
      'test/deploy/*',
      'test/docs/*',
      'test/client/*',
      'test/blobs/*',
      'test/testkit/*',
      'test/cli/input-fields',
      ...within(
        'test/providers',
        'media-form pages replaced-accounts sandbox signed-call test-account upstream',
      ),
      ...within('test/worker', 'chaos-checker due-heap poll-rate'),
    ],
    fast: true,
  },
  { name: 'store', files: ['test/store/*'], fast: true },
  { name: 'overload measured 1', files: within('test/overload', 'probing logins') },
  { name: 'engine/epsilon', files: ['test/engine/epsilon'], alone: drawing },
  {
    name: 'engine pieces',
    files: ['engine/test/*'],
  },
  { name: 'overload/strangers', files: ['test/overload/strangers'], alone: measured },
  { name: 'engine/beta', files: ['test/engine/beta'], alone: drawing },
  {
    name: 'promises fast',
    files: [
      ...within(
        'test/promises',
        'i06-fencing i09-cancel-has-one-winner i10-unique-task-id i14-tenants-invisible ' +
          'i15-signed-addresses i17-inert-serving',
      ),
      ...within('test/overload', 'settings bodies mcp-calls login-throttle'),
      ...within('test/worker', 'claimed-again long-ids submit-unreachable'),
    ],
    fast: true,
  },
  { name: 'tracing and deployment', files: ['test/tracing/*', 'test/deploy/audit', 'test/mcp/*'] },
  { name: 'worker/accepted-matrix', files: ['test/worker/accepted-matrix'], alone: killing },
  { name: 'worker/sandbox', files: ['test/worker/sandbox'], alone: killing },
  { name: 'cli 3', files: within('test/cli', 'keys commands callbacks own-models') },
  {
    name: 'protocol and callbacks',
    files: [
      ...within('test/mcp', 'tools fetching'),
      ...within('test/callbacks', 'guard signatures'),
      'test/media/*',
      'test/clients/openai',
      ...within('test/providers', 'routes foreign-jobs own-models ingress-processes'),
      ...within('test/trouble', 'queue-refusals full-disk blobs-away'),
    ],
    fast: true,
  },
  {
    name: 'contract/files slow',
    files: within('test/contract', 'upload-file upload-file-forms blobs-in-bucket beta-bills'),
  },
  {
    name: 'overload measured 2',
    files: within('test/overload', 'spool storage slow-senders waiting connections'),
  },
  { name: 'engine/zeta-eta', files: ['test/engine/zeta-eta'], alone: drawing },
  {
    name: 'contract/generated',
    files: within('test/contract', 'generated admin-doubts key-changes file-dimensions'),
  },
  {
    name: 'engine/engine',
    files: ['engine/test/engine'],
    alone: 'mocks the timers, and finds the one child of its process',
  },
  {
    name: 'contract/jobs',
    files: within(
      'test/contract',
      'cancel-job create-job-body create-job-gates create-job-idempotency create-job-input create-job ' +
        'list-jobs own-jobs models models-off prices omitted-fields unknown-paths',
    ),
    fast: true,
  },
  { name: 'engine/gamma-pictures', files: ['test/engine/gamma-pictures'], alone: drawing },
  { name: 'overload', files: ['test/overload/*'] },
  { name: 'promises/i16', files: ['test/promises/i16-bytes-are-bytes'], alone: measured },
  { name: 'overload/aborted-uploads', files: ['test/overload/aborted-uploads'], alone: measured },
];

/** A batch with the paths of its files. */
export interface PlannedBatch extends Omit<Batch, 'files'> {
  readonly files: readonly string[];
}

const ending = '.test.ts';

/** Shares the files out. A file that no batch knows gets one of its own, so that none is ever left out. */
export function planOf(files: readonly string[]): readonly PlannedBatch[] {
  const named = new Set(batches.flatMap(batch => batch.files));
  const unknown = new Set(files);
  const planned = batches.map(batch => {
    const own = files.filter(
      file => unknown.has(file) && batch.files.some(pattern => fits(file, pattern, named)),
    );
    for (const file of own) unknown.delete(file);
    return { ...batch, files: own };
  });
  const rest = [...unknown].map(file => ({ name: file, files: [file] }));
  return [...planned, ...rest].filter(batch => batch.files.length > 0);
}

/** Whether a pattern of a batch means this file. */
export function fits(file: string, pattern: string, named: ReadonlySet<string>): boolean {
  const name = file.slice(0, -ending.length);
  if (!pattern.endsWith('/*')) return name === pattern;
  return !named.has(name) && name.slice(0, name.lastIndexOf('/')) === pattern.slice(0, -2);
}
