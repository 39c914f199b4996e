import { type Catalog, openCatalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { Config } from './config.ts';

/** What a running gateway is given anew when its settings are read again; everything else needs a new start. */
type LiveSettings = Pick<Config, 'routing' | 'catalog' | 'disabledModels' | 'prices' | 'limits'>;

export interface ReloadableSettings {
  readonly current: () => LiveSettings;
  /** Every model there is; it also finds those that were taken away since the start, for jobs of theirs under way. */
  readonly catalog: Catalog;
  /** The models that clients are told of. */
  readonly servedModels: () => Catalog;
  /** Heard before `now` is asked by anybody else. */
  onChange(listener: (next: LiveSettings) => void): void;
  replace(next: LiveSettings): void;
}

export function openReloadableSettings(first: LiveSettings): ReloadableSettings {
  const listeners: ((next: LiveSettings) => void)[] = [];
  const gone = new Map<string, Model>();
  let now = first;
  let served = servedModelsOf(first);
  return {
    current: () => now,
    servedModels: () => served,
    catalog: {
      get all() {
        return now.catalog.all;
      },
      find: id => now.catalog.find(id) ?? gone.get(id) ?? null,
    },
    onChange: listener => void listeners.push(listener),
    replace(next) {
      for (const model of now.catalog.all) gone.set(model.id, model);
      now = next;
      served = servedModelsOf(next);
      for (const listener of listeners) listener(next);
    },
  };
}

/** The models that clients are told of. */
export const servedModelsOf = ({
  catalog,
  disabledModels,
}: Pick<LiveSettings, 'catalog' | 'disabledModels'>): Catalog =>
  openCatalog(catalog.all.filter(({ id }) => !disabledModels.includes(id)));
