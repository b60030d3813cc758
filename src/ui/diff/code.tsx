import { memo, useState } from "react";
import { cn } from "@/lib/cn";
import { number } from "@/lib/format";
import type { Ink, Token } from "./grammars";
import { harmless } from "./harmless";
import type { DiffLine } from "./parse";
import { type Mark, marksOf } from "./words";

/** Characters of a line shown at first, and added by each click. */
const FIRST_CHARS = 1000;
const MORE_CHARS = 20_000;

const inks: Record<Ink, string> = {
  keyword: "text-ink-keyword",
  string: "text-ink-string",
  number: "text-ink-number",
  name: "text-ink-name",
  comment: "text-dim",
  meta: "text-ink-meta",
};

/** Untrusted text from a repository. */
export function Harmless({ text }: { text: string }) {
  return harmless(text).map(({ text, unseen }, index) =>
    unseen ? (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a fixed text; they may repeat.
        key={index}
        title="A character that is not seen"
        className="mx-px rounded-[3px] bg-warn-soft px-0.5 text-2xs text-warn"
      >
        {text}
      </span>
    ) : (
      text
    ),
  );
}

/** The text of a line: highlighted, with differences marked, and truncated where nobody would read on. */
export const Code = memo(function Code({
  line,
  tokens,
  ends,
}: {
  line: DiffLine;
  tokens: Token[] | null;
  /** Whether the line ending is worth showing. */
  ends: boolean;
}) {
  const [limit, setLimit] = useState(FIRST_CHARS);
  const bare = line.text.replace(/\r$/, "");
  const shown = bare.slice(0, limit);
  const left = bare.length - shown.length;
  const mark = line.kind === "removed" ? "bg-bad/18" : "bg-ok/18";
  return (
    <bdi dir="ltr" className="block min-h-5 min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere [tab-size:4]">
      {parts(shown, tokens, marksOf(line)).map(({ text, ink, marked }, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text; they may repeat.
          key={index}
          className={cn(ink && inks[ink], marked && "rounded-[2px]", marked && mark)}
        >
          <Harmless text={text} />
        </span>
      ))}
      {ends && <EndOf line={line} />}
      {left > 0 && (
        <button
          type="button"
          className="ml-2 font-sans text-2xs text-accent"
          onClick={() => setLimit((before) => before + MORE_CHARS)}
        >
          {number(left)} more characters
        </button>
      )}
      {line.unended && <span className="ml-2 font-sans text-2xs text-faint">no newline at the end of the file</span>}
    </bdi>
  );
});

/** A CRLF among lines that end in LF, or vice versa. */
function EndOf({ line }: { line: DiffLine }) {
  if (!line.text.endsWith("\r")) return null;
  return (
    <span className="ml-1 text-2xs text-faint" title="The line ends in CRLF, others here in LF">
      CRLF
    </span>
  );
}

type Part = { text: string; ink: Ink | null; marked: boolean };

/** Splits a text wherever its color or its mark changes. */
function parts(text: string, tokens: Token[] | null, marks: readonly Mark[]): Part[] {
  const cuts = new Set<number>([0, text.length]);
  const inkAt: [number, Ink | null][] = [];
  let at = 0;
  for (const token of tokens ?? []) {
    inkAt.push([at, token.ink]);
    cuts.add(Math.min(at, text.length));
    at += token.text.length;
  }
  inkAt.push([at, null]);
  for (const [from, to] of marks) cuts.add(Math.min(from, text.length)).add(Math.min(to, text.length));
  const sorted = [...cuts].sort((one, other) => one - other);
  let token = 0;
  return sorted.slice(0, -1).map((from, index) => {
    while (token + 1 < inkAt.length && (inkAt[token + 1]?.[0] ?? 0) <= from) token += 1;
    return {
      text: text.slice(from, sorted[index + 1]),
      ink: inkAt[token]?.[1] ?? null,
      marked: marks.some(([start, end]) => start <= from && from < end),
    };
  });
}
