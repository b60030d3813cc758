import type { FeatureLearning, LearningSource, LearningState, RecallHit, RecallQuery, RecallResponse } from "@/ipc";

/** What the page is narrowed to; the question apart. */
export type Narrowing = { kind?: string; state: LearningState[]; source: LearningSource[] };

/** A hit, with the whole learning where it is one. */
export type Found = { hit: RecallHit; learning: FeatureLearning | undefined };

/** The state of what is told to agents: shown unless asked otherwise. */
export const ACTIVE: LearningState[] = ["active"];

/** Hits that a screen asks for; with other states more, since those are sorted out here. */
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

/** What kind of thing it is: of a learning its category, else the memory's own kind. */
export function kindOf(hit: RecallHit, learning: FeatureLearning | undefined): string {
  return learning?.category ?? hit.kind;
}

export function passes(learning: FeatureLearning, { kind, source }: Narrowing): boolean {
  return (
    (kind === undefined || learning.category === kind) && (source.length === 0 || source.includes(learning.source))
  );
}
