/** The Retry-After of a refusal for overload. */

const minSeconds = 3;
const maxSeconds = 7;

/** 3 to 7 seconds at random, so that refused clients do not all come back at the same moment. */
export const jitteredRetryAfter = (): { readonly retryAfterSeconds: number } => ({
  retryAfterSeconds: minSeconds + Math.floor(Math.random() * (maxSeconds - minSeconds + 1)),
});
