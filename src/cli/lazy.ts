/** Commands are loaded when they run. */

/** An action whose module is imported when the command runs: help and small commands start fast. */
export function lazy<Module, Arguments extends readonly unknown[]>(
  load: () => Promise<Module>,
  select: (module: Module) => (...given: Arguments) => Promise<void> | void,
): (...given: Arguments) => Promise<void> {
  return async (...given) => select(await load())(...given);
}
