import { QueryClient } from "@tanstack/react-query";

/** Nothing becomes stale by itself and nothing is retried: topics report changes, and a local error is a valid answer. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        refetchOnWindowFocus: false,
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
