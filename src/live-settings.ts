import { type Catalog, openCatalog } from './catalog/catalog.ts';
import type { Model } from './catalog/model.ts';
import type { Config } from './config.ts';

/** What a running gateway is given anew when its settings are read again; everything else needs a new start. */
type LiveSettings = Pick<Config, 'routing' | 'catalog' | 'modelsOff' | 'prices' | 'limits'>;

export interface Live {
  readonly now: () => LiveSettings;
  /** Every model there is; it also finds those that were taken away since the start, for jobs of theirs under way. */
  readonly catalog: Catalog;
  /** The models that clients are told of. */
  readonly served: () => Catalog;
  /** Heard before `now` is asked by anybody else. */
  heed(listener: (next: LiveSettings) => void): void;
  replace(next: LiveSettings): void;
}

export function openLive(first: LiveSettings): Live {
  const listeners: ((next: LiveSettings) => void)[] = [];
  const gone = new Map<string, Model>();
  let now = first;
  let served = servedOf(first);
  return {
    now: () => now,
    served: () => served,
    catalog: {
      get all() {
        return now.catalog.all;
      },
      find: id => now.catalog.find(id) ?? gone.get(id) ?? null,
    },
    heed: listener => void listeners.push(listener),
    replace(next) {
      for (const model of now.catalog.all) gone.set(model.id, model);
      now = next;
      served = servedOf(next);
      for (const listener of listeners) listener(next);
    },
  };
}

/** The models that clients are told of. */
export const servedOf = ({ catalog, modelsOff }: Pick<LiveSettings, 'catalog' | 'modelsOff'>): Catalog =>
  openCatalog(catalog.all.filter(({ id }) => !modelsOff.includes(id)));
