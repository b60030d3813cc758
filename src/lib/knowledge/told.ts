/** The memories included in a prompt, in words. */
import type { ToldMemory } from "@/ipc";
import { count } from "@/lib/format";

/** `4 learnings and 1 section`. */
export function toldInWords(memories: ToldMemory[]): string {
  const learnings = memories.filter(({ kind }) => kind === "learning").length;
  const sections = memories.filter(({ kind }) => kind === "document").length;
  const facts = memories.filter(({ kind }) => kind === "fact").length;
  const episodes = memories.filter(({ kind }) => kind === "episode").length;
  const others = memories.length - learnings - sections - facts - episodes;
  const parts = [
    ...(learnings > 0 || memories.length === 0 ? [count(learnings, "learning")] : []),
    ...(sections > 0 ? [count(sections, "section")] : []),
    ...(facts > 0 ? [count(facts, "fact")] : []),
    ...(episodes > 0 ? [count(episodes, "episode")] : []),
    ...(others > 0 ? [count(others, "other")] : []),
  ];
  return parts.join(" and ");
}

/** The place of a document's section, from `FILE:LINE`, or `FILE:LINE.N` for a later one that begins in the same line. */
export function placeOf(id: string): { file: string; line: number } | undefined {
  const [, file, line] = /^(.+):(\d+)(?:\.\d+)?$/.exec(id) ?? [];
  return file && Number(line) > 0 ? { file, line: Number(line) } : undefined;
}
