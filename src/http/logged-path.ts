/** The path of a request as the log may show it. */

/** Characters of a path in the log; longer ones are cut. */
const maxLength = 512;
/** Stands in the log for a path that may contain a signature, or an address that is itself a secret. */
const withheld = '(a path that may contain a secret)';

/**
 * A path for the log: without its query, also where its `?` was encoded on the way, because it may contain
 * a signature; without the name of a file, the token by which an upstream calls and the code of a setup.
 */
export function loggedPath(url: string): string {
  const shown = url
    .split(/[?#]|%(?:25)*3f/i, 1)[0]!
    .replace(/(\/v1\/ingress\/).*/s, '$1…')
    .replace(/(\/v1\/f\/file_[0-9a-z]{24}).+/is, '$1/…')
    .replace(/sig(?:=|%(?:25)*3d).*/is, 'sig=…')
    .slice(0, maxLength);
  return mayHoldSecret.test(unescapePath(shown)) ? withheld : shown;
}

/** The same places in a spelling that no route has: a mistyped address is a secret all the same. */
const mayHoldSecret = /\/ingress\/+[^…]|\/setup\/+.|sig=[^…]|\/f\/+file_[0-9a-z]{24}\/*[^/…]/is;

/** What escapes stand for, however often they were escaped; slashes that follow each other are one. */
function unescapePath(path: string): string {
  let plain = path;
  for (let times = 0; times < 3; times++)
    plain = plain.replace(/%([2-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain.replace(/\/+/g, '/');
}
