import type { Query, QueryClient } from "@tanstack/react-query";
import { type Destination, events, type Topic } from "./bindings";

/** What a key starts with: the topic that makes it stale, or what no commit touches. */
export type KeyRoot = Topic | "project" | "doctor" | "window";

declare module "@tanstack/react-query" {
  interface Register {
    queryKey: readonly [KeyRoot, ...unknown[]];
    queryMeta: { topics?: readonly Topic[] };
  }
}

/** Whether a query shows something that one of the topics touches: its key starts with one, or its `meta` names more. */
export function topicPredicate(topics: readonly Topic[]): (query: Query) => boolean {
  const changed = new Set<unknown>(topics);
  return ({ queryKey, meta }) => changed.has(queryKey[0]) || meta?.topics?.some((topic) => changed.has(topic)) === true;
}

/** Goes where a click on a desktop notification leads. */
export function listenForPlaces(go: (place: Destination) => void): () => void {
  const unlisten = events.placeOpened.listen(({ payload }) => go(payload.place));
  return () => void unlisten.then((stop) => stop());
}

/** Refetches what a commit touched, whoever made it: the window, the CLI or an agent. The only invalidation there is. */
export function listenForTopics(client: QueryClient): () => void {
  const unlisten = events.topicsChanged.listen(({ payload }) => {
    void client.invalidateQueries({ predicate: topicPredicate(payload.topics) });
  });
  return () => void unlisten.then((stop) => stop());
}
