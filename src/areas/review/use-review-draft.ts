import { useCallback, useMemo, useRef } from "react";
import type { LineComment, ReviewComment } from "@/ipc";
import { tellDone } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { provenanceWord } from "@/lib/words";
import type { Remarks } from "@/ui/diff/diff-view";
import type { DiffFile } from "@/ui/diff/parse";
import { type LinePlace, type LineRemark, placeNow } from "@/ui/diff/rows";

/** A place in the work, or in the state that one commit left. */
type Place = LinePlace & { commit: string | null };

type Draft = {
  /** Remarks that are stored, but not sent yet. */
  lines: (Place & { text: string })[];
  writing: Place | null;
  /** The current text at `writing`. */
  text: string;
  /** The comment on the work as a whole. */
  comment: string;
};

const EMPTY: Draft = { lines: [], writing: null, text: "", comment: "" };
const MINE = "you, ";

/** A person's remarks on work, kept on this machine until they are sent back. `files` are those that are shown. */
export function useReviewDraft(
  work: string,
  commit: string | null,
  sent: readonly ReviewComment[],
  files: readonly DiffFile[],
) {
  const [draft, change, clear] = useDraft<Draft>(`review.${work}`, EMPTY);
  const { lines, writing, text } = draft;
  /** Where a remark belongs now: the work may have changed since. A commit does not. */
  const now = useCallback(
    (place: Place) =>
      place.commit === null && commit === null ? placeNow(files, place) : { line: place.line, sure: true },
    [files, commit],
  );
  const all = useMemo<LineRemark[]>(
    () => [
      // A commit in the middle has line numbers of its own.
      ...sent.flatMap(({ id, file, line, text, author }) =>
        commit !== null
          ? []
          : [
              {
                key: `${id}`,
                file,
                line: line === 0 ? null : line,
                text,
                author: provenanceWord[author],
                draft: false,
              },
            ],
      ),
      ...lines.flatMap((place, index) => {
        const { line, sure } = now(place);
        const remark = {
          key: `${MINE}${index}`,
          file: place.file,
          line,
          text: quoting(place, place.text, sure),
          author: "You",
          draft: true,
        };
        return place.commit === commit ? [remark] : [];
      }),
    ],
    [sent, lines, commit, now],
  );
  const indexOf = ({ key }: LineRemark) => Number(key.slice(MINE.length));
  const without = (remark: LineRemark) => lines.filter((_, index) => index !== indexOf(remark));
  /** Keeps the current text as it is: nothing typed is lost by starting another remark. */
  const kept = (rest = lines) => (writing && text.trim() !== "" ? [...rest, { ...writing, text: text.trim() }] : rest);
  const begin = (place: LinePlace) => {
    const same = writing?.file === place.file && writing.line === place.line && writing.commit === commit;
    if (!same) change({ lines: kept(), writing: { ...place, commit }, text: "" });
  };
  const latest = useRef(lines);
  latest.current = lines;
  /** Says that a person's words were discarded, and can restore them among what has been kept since. */
  const tellGone = (line: Draft["lines"][number]) =>
    tellDone("Comment removed", async () => change({ lines: [...latest.current, line] }));
  const remarks: Remarks = {
    all,
    writing: writing?.commit === commit ? standing(writing, now(writing)) : null,
    text,
    onPlace: begin,
    onType: (text) => change({ text }),
    onKeep: () => change({ lines: kept(), writing: null, text: "" }),
    onDrop: () => {
      change({ writing: null, text: "" });
      if (writing && text.trim() !== "") tellGone({ ...writing, text: text.trim() });
    },
    onEdit: (remark) => {
      const line = lines[indexOf(remark)];
      if (!line) return;
      const { text, ...place } = line;
      change({ lines: kept(without(remark)), writing: place, text });
    },
    onRemove: (remark) => {
      const line = lines[indexOf(remark)];
      change({ lines: without(remark) });
      if (line) tellGone(line);
    },
  };
  const toSend = (): LineComment[] =>
    kept().map((place) => {
      const { line, sure } = now(place);
      return { file: place.file, line, text: quoting(place, place.text, sure) };
    });
  /** Takes out one of what would be sent, by its place there: it may be on a file that the work no longer changes. */
  const leaveOut = (index: number) => {
    const left = kept();
    const [gone] = left.splice(index, 1);
    change({ lines: left, writing: null, text: "" });
    if (gone) tellGone(gone);
  };
  const setComment = (comment: string) => change({ comment });
  return { remarks, comment: draft.comment, setComment, toSend, leaveOut, clear };
}

/** A place as the work is now; a line that is not found stays where it was. */
const standing = (place: Place, { line, sure }: ReturnType<typeof placeNow>) => ({
  ...place,
  line: line ?? place.line,
  lost: !sure,
});

/** A line that is not in the work, or may be elsewhere in a commit: the remark names which one it means. */
function quoting({ words, removed, commit }: Place, text: string, sure: boolean): string {
  const line = `\`${words.trim()}\``;
  if (commit !== null)
    return `In commit ${commit.slice(0, 7)}, on the ${removed ? "removed " : ""}line ${line}: ${text}`;
  if (removed) return `On the removed line ${line}: ${text}`;
  return sure || words.trim() === "" ? text : `On the line ${line}: ${text}`;
}
