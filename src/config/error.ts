/** The error of wrong settings. */

/** The message has one line for each fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
