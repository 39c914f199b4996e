import type { Config } from './config.ts';

/** What a running gateway is given anew when its settings are read again; everything else needs a new start. */
type LiveSettings = Pick<Config, 'routing' | 'modelsOff' | 'limits'>;

export interface Live {
  readonly now: () => LiveSettings;
  /** Heard before `now` is asked by anybody else. */
  heed(listener: (next: LiveSettings) => void): void;
  replace(next: LiveSettings): void;
}

export function openLive(first: LiveSettings): Live {
  const listeners: ((next: LiveSettings) => void)[] = [];
  let now = first;
  return {
    now: () => now,
    heed: listener => void listeners.push(listener),
    replace(next) {
      now = next;
      for (const listener of listeners) listener(next);
    },
  };
}
