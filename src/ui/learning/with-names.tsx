import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type FeatureLearning, queries } from "@/ipc";

/** A learning's id within Ralph's own sentences: a ULID. */
const ID = /([0-7][0-9A-HJKMNP-TV-Z]{25})/;

/** Characters of a learning that identify it to a person. */
const NAME_CHARS = 60;

/** Learnings by id. */
export type LearningsById = ReadonlyMap<string, FeatureLearning>;

const NONE: LearningsById = new Map();

/** The ids in a sentence of Ralph's. */
export function idsIn(text: string): string[] {
  return text.split(ID).filter((_, at) => at % 2 === 1);
}

/** The learnings of these ids, to replace ids by texts; `undefined` while loading. Only these are asked for: a project has thousands. */
export function useLearningsById(ids: readonly string[]): LearningsById | undefined {
  const asked = [...new Set(ids)].sort();
  const { data } = useQuery({ ...queries.learningsById(asked), enabled: asked.length > 0 });
  const known = useMemo(() => data && new Map(data.map((learning) => [learning.id, learning])), [data]);
  return asked.length > 0 ? known : NONE;
}

/** A sentence of Ralph's with ids replaced by the beginnings of the learnings. */
export function WithNames({ text, known }: { text: string; known: LearningsById | undefined }) {
  const parts = text.split(ID);
  return parts.map((part, at) => {
    // In a mark it is the id that a person has to write.
    const isMark = parts[at - 1]?.endsWith("ralph:");
    const learning = at % 2 === 1 && !isMark ? known?.get(part) : undefined;
    if (!learning) return part;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed sentence.
      <q key={at} className="text-dim" title={learning.text}>
        {shortened(learning.text)}
      </q>
    );
  });
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length > NAME_CHARS ? `${letters.slice(0, NAME_CHARS).join("").trimEnd()}…` : text;
}
