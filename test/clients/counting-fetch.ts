/** The requests that a client really sent, its own retries included. */
export interface CountingFetch {
  readonly fetch: typeof fetch;
  /** `POST /v1/files`, in order; without queries. */
  readonly requests: readonly string[];
}

export function openCountingFetch(onAnswer: (answer: Response) => void = () => {}): CountingFetch {
  const requests: string[] = [];
  return {
    requests,
    fetch: async (input, init) => {
      const { protocol, pathname } = new URL(input instanceof Request ? input.url : input);
      // A client may try the fetch it was given on a `data:` address first.
      if (protocol === 'http:') requests.push(`${(init?.method ?? 'get').toUpperCase()} ${pathname}`);
      const answer = await fetch(input, init);
      onAnswer(answer);
      return answer;
    },
  };
}
