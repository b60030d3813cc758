import { ChevronDown, ChevronUp, Copy, Search } from "lucide-react";
import { type RefObject, useEffect } from "react";
import { cn } from "@/lib/cn";
import { tellDone, tellFault } from "@/lib/command";
import { clock, count, number } from "@/lib/format";
import { shortcut } from "@/lib/keys";
import { isFault, type Row, wordsOf } from "@/lib/loop/transcript-store";
import { Button } from "@/ui/button";

/** The search within a transcript. */
export type Find = { text: string; faults: boolean };

/** Indexes of matching rows; none without a search text. */
export function matches(rows: readonly Row[], text: string): number[] {
  const needle = text.trim().toLowerCase();
  if (needle === "") return [];
  return rows.flatMap((row, index) => (wordsOf(row).toLowerCase().includes(needle) ? index : []));
}

/** The rows as lines of text. */
export function asText(rows: readonly Row[]): string {
  return rows.map((row) => `${clock(row.at)}  ${wordsOf(row)}`).join("\n");
}

/** Searches all rows of a transcript, including those not drawn; filters errors; copies. */
export function FindBar({
  rows,
  faults,
  find,
  onFind,
  hits,
  at,
  onStep,
  input,
}: {
  /** The listed rows. */
  rows: readonly Row[];
  /** The number of rows that report an error. */
  faults: number;
  find: Find;
  onFind: (find: Find) => void;
  hits: number;
  /** Index of the current match, from 0. */
  at: number;
  onStep: (by: 1 | -1) => void;
  input: RefObject<HTMLInputElement | null>;
}) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || shortcut(event).toLowerCase() !== "f") return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [input]);
  const copy = () =>
    void navigator.clipboard
      .writeText(asText(rows))
      .then(() => tellDone(`${count(rows.length, "line")} copied`), tellFault);
  return (
    <div className="flex h-9 shrink-0 items-center gap-1.5 border-b border-line px-6">
      <div className="relative min-w-0 flex-1 max-w-80">
        <Search
          size={12}
          className="pointer-events-none absolute inset-y-0 left-2 my-auto text-faint"
          aria-hidden="true"
        />
        <input
          ref={input}
          type="text"
          data-search
          aria-label="Find in the transcript"
          placeholder="Find"
          value={find.text}
          onChange={(event) => onFind({ ...find, text: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === "Enter") {
              event.preventDefault();
              onStep(event.shiftKey ? -1 : 1);
            }
            if (event.key === "Escape") {
              event.stopPropagation();
              if (find.text === "") event.currentTarget.blur();
              else onFind({ ...find, text: "" });
            }
          }}
          className="h-6 w-full rounded-md border border-line-strong bg-bg pr-2 pl-6.5 text-xs"
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      {find.text.trim() !== "" && (
        <>
          <span role="status" className={cn("num text-xs", hits === 0 ? "text-bad" : "text-dim")}>
            {hits === 0 ? "nothing" : `${at + 1} of ${number(hits)}`}
          </span>
          <Button look="ghost" size="sm" aria-label="Previous hit" disabled={hits === 0} onClick={() => onStep(-1)}>
            <ChevronUp size={13} />
          </Button>
          <Button look="ghost" size="sm" aria-label="Next hit" disabled={hits === 0} onClick={() => onStep(1)}>
            <ChevronDown size={13} />
          </Button>
        </>
      )}
      <Button
        size="sm"
        look={find.faults ? "plain" : "ghost"}
        className="num ml-auto"
        aria-pressed={find.faults}
        lacks={faults === 0 && !find.faults ? "No row tells of an error" : undefined}
        onClick={() => onFind({ ...find, faults: !find.faults })}
      >
        Errors only <span className={faults > 0 ? "text-bad" : "text-faint"}>{faults}</span>
      </Button>
      <Button look="ghost" size="sm" aria-label="Copy what is listed" title="Copy what is listed" onClick={copy}>
        <Copy size={12} />
      </Button>
    </div>
  );
}

/** The number of rows that report an error. */
export const countFaults = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + (isFault(row) ? 1 : 0), 0);
