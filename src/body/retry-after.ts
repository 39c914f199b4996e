const minSeconds = 3;
const maxSeconds = 7;

/** When one who is refused for overload may ask again: not all of them at the same moment. */
export const jitteredRetryAfter = (): { readonly retryAfterSeconds: number } => ({
  retryAfterSeconds: minSeconds + Math.floor(Math.random() * (maxSeconds - minSeconds + 1)),
});
