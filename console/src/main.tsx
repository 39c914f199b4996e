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

const isLoggedOut = (failure: unknown): boolean => failure instanceof ApiError && failure.status === 401;

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session ended meanwhile: whoever looks is query to log in, and is where he was afterwards.
    onError: failure => {
      if (isLoggedOut(failure)) queries.setQueryData(sessionQuery.queryKey, null);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A refusal stays one; only a gateway that was away for a moment is query again.
      retry: (count, failure) => failure instanceof ApiError && failure.status === 0 && count < 2,
    },
  },
});

const place = document.getElementById('root');
if (!place) throw new Error('expected the page to have a place for the console');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
