/** Mounts: other protocols that the gateway speaks beside its own, each below a path of its own. */

/** In the order of the documentation. */
export const mountNames = ['openai', 'fal', 'replicate'] as const;
export type MountName = (typeof mountNames)[number];

/** A protocol that is spoken. */
export interface Mount {
  /** Names of models as clients of that service know them, and the ids of ours. */
  readonly models: ReadonlyMap<string, string>;
  /** Names that the provider of the same service has for our models. */
  readonly upstreamNames: ReadonlyMap<string, string>;
}

/** The mounts that are served; those that are switched off are absent. */
export type Mounts = Readonly<Partial<Record<MountName, Mount>>>;

/** The paths of each mount begin so. */
export const mountPaths: Readonly<Record<MountName, string>> = {
  openai: '/openai/',
  fal: '/fal/',
  replicate: '/replicate/',
};

/** The mount that a path belongs to; null for every other path. */
export const mountOfPath = (path: string): MountName | null =>
  mountNames.find(name => path.startsWith(mountPaths[name])) ?? null;
