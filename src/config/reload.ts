/** The settings that a running gateway can replace: a reload applies to new requests and new jobs. */
import { type Catalog, openCatalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { Config } from './config.ts';

/** Every other setting needs a restart. */
type LiveSettings = Pick<
  Config,
  'routing' | 'catalog' | 'disabledModels' | 'prices' | 'mounts' | 'login' | 'limits'
>;

export interface ReloadableSettings {
  readonly current: () => LiveSettings;
  /** Every model; it also finds models that were removed since the start, for their unfinished jobs. */
  readonly catalog: Catalog;
  /** The models that clients can see and use. */
  readonly servedModels: () => Catalog;
  /** Listeners run before any request sees the new settings. */
  onChange(listener: (next: LiveSettings) => void): void;
  /** Faults of settings that a reload refused, one sentence each; empty once a reload succeeds. */
  readonly faults: () => readonly string[];
  replace(next: LiveSettings): void;
  /** Records why a reload was refused; the settings stay. */
  refuse(faults: readonly string[]): void;
}

export function openReloadableSettings(first: LiveSettings): ReloadableSettings {
  const listeners: ((next: LiveSettings) => void)[] = [];
  const removed = new Map<string, Model>();
  let current = first;
  let served = servedModelsOf(first);
  let refused: readonly string[] = [];
  return {
    current: () => current,
    servedModels: () => served,
    faults: () => refused,
    catalog: {
      get all() {
        return current.catalog.all;
      },
      find: id => current.catalog.find(id) ?? removed.get(id) ?? null,
    },
    onChange: listener => void listeners.push(listener),
    replace(next) {
      for (const model of current.catalog.all) removed.set(model.id, model);
      current = next;
      refused = [];
      served = servedModelsOf(next);
      for (const listener of listeners) listener(next);
    },
    refuse(faults) {
      refused = faults;
    },
  };
}

/** The models that are not switched off. */
export const servedModelsOf = ({
  catalog,
  disabledModels,
}: Pick<LiveSettings, 'catalog' | 'disabledModels'>): Catalog =>
  openCatalog(catalog.all.filter(({ id }) => !disabledModels.includes(id)));
