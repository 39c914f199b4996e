/** Branded ids with their prefixes, and API keys: creation, validation and hashing. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';

declare const brand: unique symbol;

/** `request_id` in contract JSON: a UUIDv7, so that new rows sort last in every index. */
export type JobId = string & { readonly [brand]: 'job' };
/** `file_` and 24 base62 characters. */
export type FileId = string & { readonly [brand]: 'file' };
/** `user_` and 16 base62 characters. */
export type UserId = string & { readonly [brand]: 'user' };
/** `key_` and 16 base62 characters: identifies an API key; not its secret. */
export type KeyId = string & { readonly [brand]: 'key' };
/** `worker_` and 16 base62 characters: one process that runs jobs, from its start to its end. */
export type WorkerId = string & { readonly [brand]: 'worker' };
/** `person_` and 16 base62 characters: a person with an account of the console. */
export type PersonId = string & { readonly [brand]: 'person' };
/** `session_` and 16 base62 characters: identifies a login of the console; not its secret. */
export type SessionId = string & { readonly [brand]: 'session' };
/** `msg_` and a UUIDv7: identifies one delivery, and is its `webhook-id` for every attempt. */
export type DeliveryId = string & { readonly [brand]: 'delivery' };

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const newFileId = () => `file_${base62(24)}` as FileId;
export const newUserId = () => `user_${base62(16)}` as UserId;
export const newKeyId = () => `key_${base62(16)}` as KeyId;
export const newPersonId = () => `person_${base62(16)}` as PersonId;
export const newSessionId = () => `session_${base62(16)}` as SessionId;
/** `project_` and 16 base62 characters. */
export const newProjectId = () => `project_${base62(16)}`;
export const newWorkerId = () => `worker_${base62(16)}` as WorkerId;

export function newJobId(nowMs: number): JobId {
  return uuidv7(nowMs) as JobId;
}

export function newDeliveryId(nowMs: number): DeliveryId {
  return `msg_${uuidv7(nowMs)}` as DeliveryId;
}

/** RFC 9562 UUID version 7: 48 bits of milliseconds, then random bits. */
export function uuidv7(nowMs: number): string {
  // The platform's version 4 ids come from a pool of random bytes; version and time are written over one.
  return timePrefix(nowMs) + randomUUID().slice(15);
}

/**
 * The same for the requests of a process. Such an id names lines of the log and opens nothing, so it needs no random
 * bits of its own: those of the process, and a number that no other request of the millisecond has.
 */
export function openRequestIds(clock: Clock): () => string {
  // From the digits after the version on, up to the last eight.
  const ofProcess = randomUUID().slice(15, 28);
  let number = 0;
  return () => {
    number = (number + requestStep) >>> 0;
    const digits = number.toString(16);
    return timePrefix(clock.now()) + ofProcess + '0'.repeat(8 - digits.length) + digits;
  };
}

/** Odd, so that all numbers of 32 bits come in turn; large, so that ids do not show how many requests there are. */
const requestStep = 0x9e3779b1;

/** Up to the version: the same for all ids of a millisecond. */
function timePrefix(nowMs: number): string {
  if (nowMs !== lastTime.ms) {
    const time = nowMs.toString(16).padStart(12, '0');
    lastTime = { ms: nowMs, prefix: `${time.slice(0, 8)}-${time.slice(8)}-7` };
  }
  return lastTime.prefix;
}

/** The beginning of the ids of one millisecond: many are made in it. */
let lastTime = { ms: -1, prefix: '' };

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const filePattern = /^file_[0-9A-Za-z]{24}$/;

/** The id sent by a client, or null when it cannot be one of ours. */
export const parseJobId = (text: string): JobId | null => (uuidPattern.test(text) ? (text as JobId) : null);
/**
 * Whether a text contains what may be a job id of a gateway like this one, in any spelling. Such an id is looked up here
 * only, never at an upstream, which could reveal whether another user's job exists there.
 */
export const mayBeJobId = (text: string): boolean =>
  /[0-9a-f]{8}-?[0-9a-f]{4}-?7[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}/i.test(text);
export const parseFileId = (text: string): FileId | null =>
  filePattern.test(text) ? (text as FileId) : null;

export const parseDeliveryId = (text: string): DeliveryId | null =>
  text.startsWith('msg_') && uuidPattern.test(text.slice(4)) ? (text as DeliveryId) : null;

/** Ids read from our own rows are not validated again. */
export const jobIdFromRow = (text: string) => text as JobId;
export const fileIdFromRow = (text: string) => text as FileId;
export const userIdFromRow = (text: string) => text as UserId;
export const keyIdFromRow = (text: string) => text as KeyId;
export const personIdFromRow = (text: string) => text as PersonId;
export const sessionIdFromRow = (text: string) => text as SessionId;
export const workerIdFromRow = (text: string) => text as WorkerId;
export const deliveryIdFromRow = (text: string) => text as DeliveryId;

const secretLength = 30;
const checksumLength = 6;
const keyPattern = /^atl_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** A new API key: `atl_`, 30 random characters (178 bits) and 6 of a checksum. Shown once, stored as a hash. */
export function newApiKeySecret(): string {
  const body = base62(secretLength);
  return `atl_${body}${keyChecksum(body)}`;
}

/** False for most typing errors and every truncated or invented key, without a query. */
export function isWellFormedApiKey(text: string): boolean {
  const match = keyPattern.exec(text);
  return match !== null && keyChecksum(match[1]!) === match[2];
}

/** What is stored of an API key. 178 random bits need no slow hash. */
export const hashApiKey = (secret: string): string => createHash('sha256').update(secret).digest('hex');

function keyChecksum(body: string): string {
  let value = createHash('sha256').update(`atl_${body}`).digest().readUIntBE(0, 6);
  let text = '';
  for (let i = 0; i < checksumLength; i++) {
    text += alphabet[value % 62];
    value = Math.floor(value / 62);
  }
  return text;
}

/** Uniform over the alphabet: bytes from 248 on would favour its first characters and are skipped. */
function base62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length + 8)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}
