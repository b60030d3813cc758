/** Labels for search and for the verdicts of `remember`. */
import type {
  ChannelWeight,
  EmbeddingSource,
  FactorName,
  GateFault,
  GatePart,
  HitKind,
  PairVerdict,
  RecallChannel,
} from "@/ipc";
import { percent } from "@/lib/format";

/** Parts of the review queue, in the order in which they ask for a person. */
export const REVIEW_PARTS = ["conflicts", "parked", "warnings", "doubts", "said_again", "acts"] as const;
export type ReviewPart = (typeof REVIEW_PARTS)[number];

export const channelWord: Record<RecallChannel, string> = {
  lexical: "words",
  trigram: "fragments",
  trigger: "triggers",
  path: "paths",
  vector: "meaning",
  neighbours: "neighbors",
  learned: "learned terms",
  tokens: "word by word",
  story: "task",
};

/** What each channel compares, in one sentence. */
export const channelHint: Record<RecallChannel, string> = {
  lexical: "Words in any of their forms; those that stand side by side count once more.",
  trigram: "Fragments of three letters: parts of paths and identifiers.",
  trigger:
    "Tags, error categories, and the parts of paths and identifiers. Its weight is provisional: too little is measured yet.",
  path: "Files that the question names. Its weight is provisional: it is not measured yet.",
  vector: "How near its meaning is to the question's, by the embedding model.",
  neighbours: "What was learned just before and after it matches, too.",
  learned:
    "Words of questions for which it was chosen before. Its weight is provisional: attribution does not justify it yet.",
  tokens:
    "Each word of the question beside the nearest word of the text, by the embedding model; for the first hundred.",
  story: "The task it was learned in is like the task that asks.",
};

/** A channel's own score with its unit. */
export function rawScore(channel: RecallChannel, raw: number | null): string {
  if (channel === "learned") return `${percent(raw ?? 0)} of the question's words`;
  if (channel === "tokens") return `nearness ${(raw ?? 0).toFixed(2)}`;
  return `${channel === "vector" || channel === "story" ? "cosine" : "BM25"} ${(raw ?? 0).toFixed(2)}`;
}

/** Why a channel has its weight on this question. */
export function confidenceWords({ channel, confidence }: ChannelWeight): string {
  const sure = confidence ?? 0;
  if (channel === "vector") return `Its best stands ${sure.toFixed(2)} times as far out as chance would bring it.`;
  return `Its scores fall by ${percent(sure)} from the first to the tenth.`;
}

/** Explanation of a factor. */
export const factorHint: Partial<Record<FactorName, string>> = {
  scope:
    "×0.5 for the feature that was split, ×0.4 for one that this one builds on, ×0.3 for another, unless the settings say otherwise. The 0.4 is provisional: it is not measured yet.",
};

/** What moves a hit up or down after the channels. */
export const factorWord: Record<FactorName, string> = {
  scope: "learned in a related feature",
  evidence: "a person or three iterations stand behind it",
  recency: "written recently",
  names_a_file: "names a file",
  feedback: "people and agents said whether it helped",
  diversity: "a hit above says nearly the same",
};

export const hitKindWord: Record<HitKind, string> = {
  negation: "one denies it",
  number: "a different number",
  antonym: "opposites",
  order: "a different order",
  other: "a different name",
};

/** Why two learnings wait for a person. */
export const pairWord: Record<PairVerdict, string> = {
  conflict: "They contradict each other",
  observed: "They say the same, and both are protected",
  merged: "They say nearly the same, and both are protected",
  related: "They are about something related",
  distinct: "They are about different things",
};

/** What Ralph did automatically with a learning. */
export const actWord: Record<PairVerdict, string> = {
  observed: "Counted as seen again",
  merged: "Merged into one",
  conflict: "Replaced by the newer",
  related: "Kept and linked",
  distinct: "Kept",
};

/** What a line of the journal is about. */
export const eventWord: Partial<Record<string, string>> = {
  default_cap: "cap",
  learned: "learnt",
  gate_decided: "warning decided",
  warning_reopened: "warning reopened",
  reconciled: "compared",
  withdrawn: "seen once less",
  observed: "seen again",
  unreviewed: "review taken back",
  restored: "returned",
  superseded: "replaced",
  conflict: "contradiction",
  conflict_resolved: "decided",
  conflict_reopened: "reopened",
  moved_out: "moved away",
  moved_in: "moved here",
  thinned: "forgotten by age",
  kept_away: "stays away",
  undone: "taken back",
  staged: "on a branch",
  landed: "merged",
  memory_withdrawn: "withdrawn",
  memory_returned: "told again",
  episode_seen: "learnt again",
  episode_moved: "moved away",
  audited: "audit",
  consolidated: "in a document",
  validated: "feedback",
  validations_dropped: "feedback undone",
  terms_learnt: "terms learnt",
  terms_dropped: "terms dropped",
};

export const gateFaultWord: Record<GateFault, string> = {
  too_short: "too few words",
  boilerplate: "a line that every session repeats",
  refusal: "an agent that declines or asks",
  transient: "true only at that moment",
  injected: "Ralph's own words",
};

export const gatePartWord: Record<GatePart, string> = {
  specifics: "says what it is about",
  identifiers: "paths, names, numbers",
  cause: "a cause or a reason",
  action: "something to do or to avoid",
  length: "length",
  tags: "tags",
};

export const EMBEDDING_SOURCES: EmbeddingSource[] = ["bundled", "ollama", "openai"];

export const embeddingWord: Record<EmbeddingSource, string> = {
  bundled: "In Ralph: all-MiniLM-L6-v2",
  ollama: "Ollama",
  openai: "OpenAI-compatible server",
};
