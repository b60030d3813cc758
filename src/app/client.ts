import { QueryClient } from "@tanstack/react-query";

/** Nothing goes stale by itself and nothing is tried twice: topics tell what changed, and a local error is an answer. */
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
