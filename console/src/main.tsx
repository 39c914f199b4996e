/** The entry of the console: mounts the router, with one cache of queries for all pages. */
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/call-api.ts';
import { sessionQuery } from './api/queries.ts';
import { router } from './router.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/shell.css';
import './styles/form.css';
import './styles/pages.css';
import './styles/stage.css';
import './styles/explorer.css';

/** The session has ended, or never was. */
const isLoggedOut = (failure: unknown): boolean => failure instanceof ApiError && failure.status === 401;

/** One cache: a page that is visited again shows what it had, and refreshes it. */
const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session has ended: the login is shown, and after it the same page.
    onError: failure => {
      if (isLoggedOut(failure)) queries.setQueryData(sessionQuery.queryKey, null);
    },
  }),
  defaultOptions: {
    queries: {
      // Components that mount together make one request for the same thing.
      staleTime: 2_000,
      // Only a missing answer is retried: a refusal would be the same again.
      retry: (count, failure) => failure instanceof ApiError && failure.status === 0 && count < 2,
    },
  },
});

const mount = document.getElementById('root');
if (!mount) throw new Error('expected an element #root in the page');
createRoot(mount).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
