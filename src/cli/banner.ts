/** What the very first start shows, and no other. */
export interface FirstSecrets {
  readonly key: string;
  /** Makes the first account of the console. */
  readonly setupCode: string;
}

export interface BannerFacts {
  readonly url: string;
  readonly role: string;
  /** Why nobody else can follow its addresses; null where nobody has to be told. */
  readonly hereOnly: string | null;
  /** Where the token is that opens the console. */
  readonly adminTokenIn: string;
  /** Shown once, at the very first start. */
  readonly first: FirstSecrets | null;
  /** Jobs that may have been sent after the backup this is; null unless that was looked for. */
  readonly reconciled: number | null;
}

/** What a person sees when the gateway is up. */
export function banner({ url, role, hereOnly, adminTokenIn, first, reconciled }: BannerFacts): string {
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
  if (first !== null) {
    lines.push(
      '',
      '  In a browser, your account and a first job (this address works once):',
      '',
      `    ${url}/console/setup#${first.setupCode}`,
      '',
      '  Or here. Your first API key, shown this once:',
      '',
      `    ${first.key}`,
      '',
      '  Create a job (a video, rendered locally):',
      '',
      `    curl -s ${url}/v1/queue/eta2.6-t2v \\`,
      `      -H 'Authorization: Bearer ${first.key}' \\`,
      `      -H 'Content-Type: application/json' \\`,
      `      -d '{"prompt":"A lighthouse above the sea at dusk","size":"1280*720","duration":3}'`,
      '',
      '  It answers with a handle. With its request_id, again until its status is COMPLETED:',
      '',
      `    curl -s -H 'Authorization: Bearer ${first.key}' -H 'Prefer: wait=60' \\`,
      `      ${url}/v1/queue/eta2.6-t2v/requests/REQUEST_ID/response`,
      '',
      '  Then, with its video.url, which needs no key:',
      '',
      `    curl -s -o lighthouse.mp4 'VIDEO_URL'`,
    );
  }
  return `${lines.join('\n')}\n\n`;
}
