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

/** Pending requests that are repeated once they are answered. */
const owed = new WeakSet<Query>();

/**
 * Refetches what a commit touched. A pending answer may be older than the commit, so it is requested again once it is here. A pending
 * request is never cancelled for a new one: while a run makes several commits a second, a slow answer would never arrive.
 */
function refetch(client: QueryClient, predicate: (query: Query) => boolean): void {
  for (const query of client.getQueryCache().findAll({ predicate, fetchStatus: "fetching" })) {
    if (owed.has(query)) continue;
    owed.add(query);
    const again = () => {
      owed.delete(query);
      refetch(client, (other) => other === query);
    };
    void query.fetch().then(again, again);
  }
  void client.invalidateQueries({ predicate }, { cancelRefetch: false });
}

/**
 * Refetches what a commit touched, whoever made it: the window, the CLI or an agent. The only invalidation there is. Resolves once it
 * listens: anything requested before may be out of date unnoticed.
 */
export async function listenForTopics(client: QueryClient): Promise<void> {
  await events.topicsChanged.listen(({ payload }) => refetch(client, topicPredicate(payload.topics)));
}
