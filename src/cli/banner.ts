/** The text on stdout of a gateway that has started. */
import { setupUrl } from './setup-link.ts';

/** Secrets that only the very first start shows. */
export interface FirstSecrets {
  /** The first API key, or where it was written. */
  readonly key:
    | { readonly kind: 'shown'; readonly secret: string }
    /** In a file that only its owner may read. */
    | { readonly kind: 'kept'; readonly path: string };
  /** Creates the first account of the console; null where there is one already. */
  readonly setupCode: string | null;
}

/** Everything that the banner shows. */
export interface BannerFacts {
  /** Without a slash at its end. */
  readonly url: string;
  /** api, worker or all. */
  readonly role: string;
  /** Why other machines cannot open its URLs, as a sentence; null where they can. */
  readonly localOnlyReason: string | null;
  /** Where the operator finds the admin token, which opens the console. */
  readonly adminTokenLocation: string;
  /** Shown once, at the very first start. */
  readonly firstSecrets: FirstSecrets | null;
  /** Jobs that may have been submitted after the restored backup; null without --reconcile. */
  readonly reconciled: number | null;
}

/** The banner, with a curl command for the first job where there is a first key. */
export function banner(facts: BannerFacts): string {
  const { url, role, localOnlyReason, adminTokenLocation, firstSecrets, reconciled } = facts;
  const lines = ['', `  Atelier is ready.`, '', `  Address   ${url}`];
  if (role !== 'worker') lines.push(`  Console   ${url}/console (its admin token: ${adminTokenLocation})`);
  lines.push(`  Role      ${role}`);
  if (localOnlyReason !== null) lines.push('', `  ${localOnlyReason}`);
  if (reconciled !== null) {
    lines.push(
      '',
      `  Reconciled: ${reconciled} jobs may have been submitted after the backup; none is resubmitted automatically.`,
      '  Start without --reconcile from now on.',
    );
  }
  if (firstSecrets !== null) lines.push(...firstStepsText(url, firstSecrets));
  return `${lines.join('\n')}\n\n`;
}

/** Browser first, then curl: create a job, wait for it, download its file. */
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
      : ['  Or here. Your first API key is in this file, which only you may read:', '', `    ${key.path}`];
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
    '  It returns a handle. Repeat this with its request_id until its status is COMPLETED:',
    '',
    `    curl -s -H ${bearer} -H 'Prefer: wait=60' \\`,
    `      ${url}/v1/queue/eta2.6-t2v/requests/REQUEST_ID/response`,
    '',
    '  Then download its video.url, which needs no key:',
    '',
    `    curl -s -o lighthouse.mp4 'VIDEO_URL'`,
  ];
}
