import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type FeatureLearning, queries } from "@/ipc";

/** A learning's id within Ralph's own sentences: a ULID. */
const ID = /([0-7][0-9A-HJKMNP-TV-Z]{25})/;

/** Characters of a learning that identify it to a person. */
const NAME_CHARS = 60;

/** Learnings by id. */
export type LearningsById = ReadonlyMap<string, FeatureLearning>;

/** All learnings by id, to replace ids by texts; `undefined` while loading. */
export function useLearningsById(): LearningsById | undefined {
  const { data } = useQuery(queries.learnings(null, []));
  return useMemo(() => data && new Map(data.map((learning) => [learning.id, learning])), [data]);
}

/** A sentence of Ralph's with ids replaced by the beginnings of the learnings. */
export function WithNames({ text, known }: { text: string; known: LearningsById | undefined }) {
  return text.split(ID).map((part, at) => {
    const learning = at % 2 === 1 ? known?.get(part) : undefined;
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
