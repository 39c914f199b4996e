/** Addresses for webhooks of upstreams: each carries a signed token that names one attempt at one job. */

import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { constantTimeEqual } from './constant-time-equal.ts';
import { deriveKey } from './derive-key.ts';
import { type JobId, parseJobId } from './ids.ts';
import type { ProviderAttempt } from './provider.ts';

/** The attempt that a webhook is about, and its account. */
export interface IngressTarget extends Pick<ProviderAttempt, 'jobId' | 'attempt'> {
  readonly account: string;
}

/** Writes and reads the addresses. */
export interface Ingress {
  /** `/v1/ingress/{token}`. The token names the attempt and needs no row, so every process can read it. */
  pathOf(target: IngressTarget): string;
  /** The target of a token; null for one that this gateway did not write exactly so. */
  read(token: string): IngressTarget | null;
}

const tokenPattern = /^([a-z0-9][a-z0-9_-]{0,62})\.([0-9a-f-]{36})\.([1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/;

/** `masterSecret` is shared by all processes; tokens are signed with a key derived from it. */
export function openIngress(masterSecret: string): Ingress {
  const key = deriveKey(masterSecret, 'atelier ingress v1');
  const macOf = (account: string, jobId: JobId, attempt: number) =>
    createHmac('sha256', key).update(`v1\n${account}\n${jobId}\n${attempt}`).digest();

  return {
    pathOf({ account, jobId, attempt }) {
      const mac = macOf(account, jobId, attempt).toString('base64url');
      return `/v1/ingress/${account}.${jobId}.${attempt}.${mac}`;
    },
    read(token) {
      const [, account = '', id = '', number = '', mac = ''] = tokenPattern.exec(token) ?? [];
      const jobId = parseJobId(id);
      if (jobId === null) return null;
      const attempt = Number(number);
      const expected = macOf(account, jobId, attempt);
      const given = Buffer.from(mac, 'base64url');
      if (!constantTimeEqual(given, expected)) return null;
      // base64url has several spellings of the same bytes; only ours is valid.
      return expected.toString('base64url') === mac ? { account, jobId, attempt } : null;
    },
  };
}

/** A webhook of an upstream, as it was received. */
export interface IngressRequest {
  /** The address as the upstream was given it: that is what it signs, whatever a proxy rewrites. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Time of receipt, epoch ms. */
  readonly now: number;
}
