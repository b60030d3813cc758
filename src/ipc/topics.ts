import type { Query, QueryClient } from "@tanstack/react-query";
import { type Destination, events, type Topic } from "./bindings";

/** The first part of a key: the topic that invalidates it, or a name that no commit touches. */
type KeyRoot = Topic | "project" | "doctor" | "window";

declare module "@tanstack/react-query" {
  interface Register {
    queryKey: readonly [KeyRoot, ...unknown[]];
    queryMeta: { topics?: readonly Topic[] };
  }
}

/** Whether one of the topics invalidates a query: its key starts with one, or its `meta` names more. */
export function topicPredicate(topics: readonly Topic[]): (query: Query) => boolean {
  const changed = new Set<unknown>(topics);
  return ({ queryKey, meta }) => changed.has(queryKey[0]) || meta?.topics?.some((topic) => changed.has(topic)) === true;
}

/** Navigates to the target of a clicked desktop notification. */
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
