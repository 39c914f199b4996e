const leastSeconds = 3;
const mostSeconds = 7;

/** When one who is refused for overload may ask again: not all of them at the same moment. */
export const laterSeconds = (): { readonly retryAfterSeconds: number } => ({
  retryAfterSeconds: leastSeconds + Math.floor(Math.random() * (mostSeconds - leastSeconds + 1)),
});
