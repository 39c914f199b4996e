/** The addresses of the console, each with its page; a page is loaded when it is first visited. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { JobFilter } from './api/queries.ts';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';

/** The frame is drawn for unknown addresses, too. */
const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** A parameter of the search string; undefined where it is neither text nor number. */
const word = (search: Record<string, unknown>, name: string): string | undefined => {
  const value = search[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};
/** A validator of search strings that keeps the named parameters and drops the others. */
const words =
  <const Name extends string>(...names: readonly Name[]) =>
  (search: Record<string, unknown>): { readonly [Key in Name]?: string } => {
    const found: { [Key in Name]?: string } = {};
    for (const name of names) {
      const value = word(search, name);
      if (value !== undefined && value !== '') found[name] = value;
    }
    return found;
  };

/** What the list of jobs is filtered and sorted by. */
const jobFilterNames = [
  'q',
  'state',
  'model',
  'kind',
  'within',
  'from',
  'to',
  'error',
  'project',
  'user',
  'key',
  'account',
  'tag',
  'min_run',
  'max_run',
  'sort',
] as const satisfies readonly (keyof JobFilter)[];

/** Lazy, so that the shell stays small: `test/console/budget.test.ts` has its limits. */
const routes = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/home/home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/setup',
    component: lazyRouteComponent(() => import('./pages/setup/setup-page.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/play',
    validateSearch: words('kind'),
    component: lazyRouteComponent(() => import('./pages/models/models-page.tsx'), 'ModelsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/play/$model',
    validateSearch: words('from', 'use', 'as', 'final'),
    component: lazyRouteComponent(() => import('./pages/play/play-page.tsx'), 'PlayPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/jobs',
    validateSearch: words(...jobFilterNames, 'view'),
    component: lazyRouteComponent(() => import('./pages/jobs/jobs-page.tsx'), 'JobsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/jobs/$jobId',
    component: lazyRouteComponent(() => import('./pages/job/job-page.tsx'), 'JobPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/models',
    validateSearch: words('kind'),
    // Models and playground were two pages; links to the former lead to the one there is.
    beforeLoad: ({ search }) => {
      throw redirect({ to: '/play', search, replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/files',
    validateSearch: words('source'),
    component: lazyRouteComponent(() => import('./pages/files/files-page.tsx'), 'FilesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/keys',
    component: lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/usage',
    validateSearch: words('by', 'days'),
    component: lazyRouteComponent(() => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/money',
    validateSearch: words('view', 'by', 'account'),
    component: lazyRouteComponent(() => import('./pages/money/money-page.tsx'), 'MoneyPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/callbacks',
    validateSearch: words('state', 'user', 'id'),
    component: lazyRouteComponent(() => import('./pages/callbacks/callbacks-page.tsx'), 'CallbacksPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/refusals',
    validateSearch: words('hours', 'status', 'caller'),
    component: lazyRouteComponent(() => import('./pages/refusals/refusals-page.tsx'), 'RefusalsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/providers',
    component: lazyRouteComponent(() => import('./pages/providers/providers-page.tsx'), 'ProvidersPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings',
    component: lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
  }),
] as const;

/** `basepath` is the folder of the page, whatever a proxy puts before it. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: new URL(document.baseURI).pathname,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

// The library reads the type of the routes from here: links and their parameters are checked by the compiler.
declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
