import type { FeatureLearning, LearningSource, LearningState, RecallHit, RecallQuery, RecallResponse } from "@/ipc";

/** The filters of the page, without the question. */
export type Narrowing = { kind?: string; state: LearningState[]; source: LearningSource[] };

/** A hit, with the complete learning if it is one. */
export type Found = { hit: RecallHit; learning: FeatureLearning | undefined };

/** The default state: that of learnings in prompts. */
export const ACTIVE: LearningState[] = ["active"];

/** Hits requested by the page; more for other states, which are filtered here. */
const HITS = { active: 100, any: 200 };

export function requestOf(query: string, feature: string | undefined, state: LearningState[]): RecallQuery {
  const all_states = state.some((one) => one !== "active");
  return {
    query,
    feature: feature ?? null,
    task: null,
    kinds: [],
    all_states,
    limit: all_states ? HITS.any : HITS.active,
  };
}

/** Hits of the chosen state, kind and source, in their order. */
export function foundOf({ hits }: RecallResponse, learnings: FeatureLearning[], narrowing: Narrowing): Found[] {
  const known = new Map(learnings.map((learning) => [learning.id, learning]));
  return hits
    .map((hit) => ({ hit, learning: hit.kind === "learning" ? known.get(hit.id) : undefined }))
    .filter(
      ({ hit, learning }) =>
        narrowing.state.some((state) => state === hit.state) &&
        (narrowing.kind === undefined || kindOf(hit, learning) === narrowing.kind) &&
        (narrowing.source.length === 0 || (learning !== undefined && narrowing.source.includes(learning.source))),
    );
}

/** The kind shown: a learning's category, otherwise the kind of memory. */
export function kindOf(hit: RecallHit, learning: FeatureLearning | undefined): string {
  return learning?.category ?? hit.kind;
}
