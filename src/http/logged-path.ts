const maxLength = 512;

/**
 * A path as it may stand in a log: without its query, also where its `?` was encoded on the way, because it may hold
 * a signature; without the name of a file and the token by which an upstream calls.
 */
export const loggedPath = (url: string): string =>
  url
    .split(/[?#]|%(?:25)*3f/i, 1)[0]!
    .replace(/(\/v1\/ingress\/).*/s, '$1…')
    .replace(/(\/v1\/f\/file_[0-9a-z]{24}).+/is, '$1/…')
    .replace(/sig(?:=|%(?:25)*3d).*/is, 'sig=…')
    .slice(0, maxLength);
