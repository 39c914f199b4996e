/** Thrown once, with every fault of the settings. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
