import { useQuery } from "@tanstack/react-query";
import { type Ref, useEffect, useRef, useState } from "react";
import { queries } from "@/ipc";
import { cn } from "@/lib/cn";
import { number } from "@/lib/format";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Result } from "./query";

/** A location in a document: a line, or the words of a consolidated learning. */
export type DocumentPlace = { file: string; line: number } | { file: string; learning: string };

function lineOf(place: DocumentPlace, text: string) {
  if ("line" in place) return place.line;
  const mark = `<!-- ralph:${place.learning} -->`;
  const at = text.split("\n").findIndex((words) => words.includes(mark));
  return Math.max(0, at) + 1;
}

/** The text of a document with line numbers, scrolled to a line. */
export function DocumentDialog({ place, onClose }: { place: DocumentPlace; onClose: () => void }) {
  const text = useQuery(queries.documentText(place.file));
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={place.file}
      description={text.data === undefined ? "" : `line ${lineOf(place, text.data)}`}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <Result of={text}>{(whole) => <Lines text={whole} line={lineOf(place, whole)} />}</Result>
    </Dialog>
  );
}

/** Lines shown around the location, and added at a time: a whole book would slow the window down. */
const AROUND = 200;

function Lines({ text, line }: { text: string; line: number }) {
  const wanted = useRef<HTMLLIElement>(null);
  useEffect(() => wanted.current?.scrollIntoView?.({ block: "start" }), []);
  const all = text.split("\n");
  const [first, setFirst] = useState(Math.max(1, line - AROUND));
  const [last, setLast] = useState(line + AROUND);
  const lines = all.slice(first - 1, last);
  const end = first + lines.length - 1;
  const part = lines.length < all.length && `lines ${number(first)}–${number(end)} of ${number(all.length)}`;
  return (
    <>
      {first > 1 && (
        <Button size="sm" className="mb-2" onClick={() => setFirst(Math.max(1, first - AROUND))}>
          Show earlier lines
        </Button>
      )}
      <Numbered lines={lines} first={first} line={line} wanted={wanted} />
      {part && <p className="num mt-2 text-xs text-faint">{part}</p>}
      {end < all.length && (
        <Button size="sm" className="mt-2" onClick={() => setLast(last + AROUND)}>
          Show more lines
        </Button>
      )}
    </>
  );
}

function Numbered({
  lines,
  first,
  line,
  wanted,
}: {
  lines: readonly string[];
  first: number;
  /** The line that is marked. */
  line: number;
  wanted: Ref<HTMLLIElement>;
}) {
  return (
    <ol aria-label="Lines" className="selectable font-mono text-xs leading-5">
      {lines.map((words, at) => {
        const here = first + at;
        return (
          <li
            key={here}
            ref={here === line ? wanted : undefined}
            aria-current={here === line ? "location" : undefined}
            className={cn("flex gap-3", here === line && "bg-hover")}
          >
            <span className="num w-10 shrink-0 text-right text-faint select-none">{here}</span>
            <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">{words}</span>
          </li>
        );
      })}
    </ol>
  );
}
