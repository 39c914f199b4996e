/** Thrown once, with every fault of the settings. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
}
