import { createHmac, hkdfSync } from 'node:crypto';
import { constantTimeEqual } from '../../domain/constant-time-equal.ts';
import { type JobId, parseJobId } from '../../domain/ids.ts';
import type { ProviderAttempt } from '../../domain/provider.ts';

/** What an upstream calls about: an attempt at a job, through one of our accounts. */
export interface IngressTarget extends Pick<ProviderAttempt, 'jobId' | 'attempt'> {
  readonly account: string;
}

/** The addresses that upstreams are given to call once they have news. */
export interface Ingress {
  /** `/v1/ingress/{token}`. It names the attempt and needs no row, so that every process can read it. */
  pathOf(calledFor: IngressTarget): string;
  /** Null for every token that is not ours to the letter. */
  read(token: string): IngressTarget | null;
}

const tokenPattern = /^([a-z0-9][a-z0-9_-]{0,62})\.([0-9a-f-]{36})\.([1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/;

/** `masterSecret` is shared by every node; tokens get a key of their own, derived from it. */
export function openIngress(masterSecret: string): Ingress {
  const key = Buffer.from(hkdfSync('sha256', masterSecret, '', 'atelier ingress v1', 32));
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
      const right = macOf(account, jobId, attempt);
      const given = Buffer.from(mac, 'base64url');
      if (!constantTimeEqual(given, right)) return null;
      // base64url has more than one spelling of the same bytes; only ours is a token we made.
      return right.toString('base64url') === mac ? { account, jobId, attempt } : null;
    },
  };
}
