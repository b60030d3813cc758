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

/** Answers on their way that are asked for again once they are here. */
const owed = new WeakSet<Query>();

/**
 * Refetches what a commit touched. An answer that is on its way may be older than the commit, and is asked for again when it is here: the
 * first one is never given up for another, and a slow one that is given up with each commit never comes while a run makes several a second.
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
 * listens: what is asked before may be old without a word.
 */
export async function listenForTopics(client: QueryClient): Promise<void> {
  await events.topicsChanged.listen(({ payload }) => refetch(client, topicPredicate(payload.topics)));
}
