import type {
  FeatureLearning,
  LearningSource,
  LearningState,
  MemoryKind,
  RecallHit,
  RecallQuery,
  RecallResponse,
} from "@/ipc";
import { count } from "@/lib/format";

/** The filters of the page, without the question. */
type Narrowing = { kind?: string; state: LearningState[]; source: LearningSource[] };

/** A hit, with the complete learning if it is one. */
export type Found = { hit: RecallHit; learning: FeatureLearning | undefined };

/** The default state: that of learnings in prompts. */
export const ACTIVE: LearningState[] = ["active"];

/** Hits requested by the page; more for other states, which are filtered here. */
const HITS = { active: 100, any: 200 };

const OTHER_KINDS: MemoryKind[] = ["episode", "fact", "document", "failure_report"];

/** The kinds that can pass the filters; all when empty. Only learnings have a category, a source, and a state other than active. */
function kindsOf({ kind, state, source }: Narrowing): MemoryKind[] {
  const other = OTHER_KINDS.find((one) => one === kind);
  if (other) return [other];
  return kind !== undefined || source.length > 0 || !state.includes("active") ? ["learning"] : [];
}

export function requestOf(query: string, feature: string | undefined, narrowing: Narrowing): RecallQuery {
  const all_states = narrowing.state.some((one) => one !== "active");
  return {
    query,
    feature: feature ?? null,
    task: null,
    kinds: kindsOf(narrowing),
    all_states,
    limit: all_states ? HITS.any : HITS.active,
  };
}

/** How many of the hits are shown, in words. If as many came as were requested, there may be more. */
export function hitsInWords(found: number, hits: number, limit: number): string {
  if (hits < limit) return `${count(found, "hit")}, best first`;
  return found === hits ? `the best ${hits}` : `${found} among the best ${hits}`;
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
