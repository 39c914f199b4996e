import { setupUrl } from './setup-link.ts';

/** What the very first start shows, and no other. */
export interface FirstSecrets {
  readonly key:
    | { readonly kind: 'shown'; readonly secret: string }
    /** In a file that its owner alone may read. */
    | { readonly kind: 'kept'; readonly path: string };
  /** Makes the first account of the console; null where there was one before. */
  readonly setupCode: string | null;
}

export interface BannerFacts {
  readonly url: string;
  readonly role: string;
  /** Why nobody else can follow its addresses; null where nobody has to be told. */
  readonly hereOnly: string | null;
  /** Where the token is that opens the console. */
  readonly adminTokenIn: string;
  /** Shown once, at the very first start. */
  readonly firstSecrets: FirstSecrets | null;
  /** Jobs that may have been sent after the backup this is; null unless that was looked for. */
  readonly reconciled: number | null;
}

/** What a person sees when the gateway is up. */
export function banner({ url, role, hereOnly, adminTokenIn, firstSecrets, reconciled }: BannerFacts): string {
  const lines = ['', `  Atelier is ready.`, '', `  Address   ${url}`];
  if (role !== 'worker') lines.push(`  Console   ${url}/console (its admin token: ${adminTokenIn})`);
  lines.push(`  Role      ${role}`);
  if (hereOnly !== null) lines.push('', `  ${hereOnly}`);
  if (reconciled !== null) {
    lines.push(
      '',
      `  Reconciled: ${reconciled} jobs may have been sent after the backup; none is sent again blindly.`,
      '  Start without --reconcile from now on.',
    );
  }
  if (firstSecrets !== null) lines.push(...firstStepsText(url, firstSecrets));
  return `${lines.join('\n')}\n\n`;
}

function firstStepsText(url: string, { key, setupCode }: FirstSecrets): readonly string[] {
  const inBrowser =
    setupCode === null
      ? []
      : [
          '',
          '  In a browser, your account and a first job (this address works once, for 24 hours):',
          '',
          `    ${setupUrl(url, setupCode)}`,
        ];
  const shown =
    key.kind === 'shown'
      ? ['  Or here. Your first API key, shown this once:', '', `    ${key.secret}`]
      : ['  Or here. Your first API key is in this file, which you alone may read:', '', `    ${key.path}`];
  const bearer =
    key.kind === 'shown'
      ? `'Authorization: Bearer ${key.secret}'`
      : `"Authorization: Bearer $(cat '${key.path.replaceAll("'", `'\\''`)}')"`;
  return [
    ...inBrowser,
    '',
    ...shown,
    '',
    '  Create a job (a video, rendered locally):',
    '',
    `    curl -s ${url}/v1/queue/eta2.6-t2v \\`,
    `      -H ${bearer} \\`,
    `      -H 'Content-Type: application/json' \\`,
    `      -d '{"prompt":"A lighthouse above the sea at dusk","size":"1280*720","duration":3}'`,
    '',
    '  It answers with a handle. With its request_id, again until its status is COMPLETED:',
    '',
    `    curl -s -H ${bearer} -H 'Prefer: wait=60' \\`,
    `      ${url}/v1/queue/eta2.6-t2v/requests/REQUEST_ID/response`,
    '',
    '  Then, with its video.url, which needs no key:',
    '',
    `    curl -s -o lighthouse.mp4 'VIDEO_URL'`,
  ];
}
