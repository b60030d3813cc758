import { QueryClient } from "@tanstack/react-query";

/**
 * Milliseconds for which a result without a reader is kept: going back finds it, and visiting all pages does not accumulate lists of
 * megabytes. A repeated request is answered within a few frames.
 */
const KEPT_MILLIS = 20_000;

/** Nothing becomes stale by itself and nothing is retried: topics report changes, and a local error is a valid answer. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: KEPT_MILLIS,
        retry: false,
        refetchOnWindowFocus: false,
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
