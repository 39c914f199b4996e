/** Signed quotes: a dry run's prices for one input, which a creation may present while they last. */
import { createHash, createHmac } from 'node:crypto';
import { constantTimeEqual } from './constant-time-equal.ts';
import { deriveKey } from './derive-key.ts';
import { toJson } from './json.ts';
import type { Quote } from './prices.ts';

/** What a quote was made for. */
export interface QuotedInput {
  readonly modelId: string;
  /** As the model parsed it. */
  readonly input: unknown;
}

/** What a client may keep: it can read what is signed. */
export type PresentedQuote = Omit<Quote, 'houseCost'>;

/** Why a presented quote does not count, or the quote. */
export type QuoteVerdict =
  | { readonly kind: 'valid'; readonly quote: PresentedQuote }
  | { readonly kind: 'expired' | 'other_input' | 'invalid' };

/** Signs quotes and reads them back. */
export interface QuoteSigner {
  /** Text for a header; `expiresAt` in epoch ms. */
  sign(quote: Quote, quoted: QuotedInput, expiresAt: number): string;
  /** `now` in epoch ms. */
  read(token: string, quoted: QuotedInput, now: number): QuoteVerdict;
}

interface Content {
  readonly quote: PresentedQuote;
  /** Hash of the model and the input. */
  readonly of: string;
  readonly expiresAt: number;
}

/** Quotes are signed with a key derived from the master secret, which every process shares. */
export function openQuoteSigner(masterSecret: string): QuoteSigner {
  const key = deriveKey(masterSecret, 'atelier quotes v1');
  const macOf = (content: string) => createHmac('sha256', key).update(content).digest();
  return {
    sign({ amount, currency, lines, version }, quoted, expiresAt) {
      const quote = { amount, currency, lines, version };
      const content: Content = { quote, of: hashOf(quoted), expiresAt };
      const text = Buffer.from(JSON.stringify(content)).toString('base64url');
      return `${text}.${macOf(text).toString('base64url')}`;
    },
    read(token, quoted, now) {
      const [text = '', mac = ''] = token.split('.');
      if (!constantTimeEqual(Buffer.from(mac, 'base64url'), macOf(text))) return { kind: 'invalid' };
      // Written by `sign` alone: no other program has the key.
      const { quote, of, expiresAt } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Content;
      if (of !== hashOf(quoted)) return { kind: 'other_input' };
      return expiresAt > now ? { kind: 'valid', quote } : { kind: 'expired' };
    },
  };
}

const hashOf = ({ modelId, input }: QuotedInput): string =>
  createHash('sha256')
    .update(toJson([modelId, input]))
    .digest('base64url');
