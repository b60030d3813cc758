import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { queries } from "@/ipc";
import { cn } from "@/lib/cn";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Result } from "./query";

/** A location in a document. */
export type DocumentPlace = { file: string; line: number };

/** The text of a document with line numbers, scrolled to a line. */
export function DocumentDialog({ place, onClose }: { place: DocumentPlace; onClose: () => void }) {
  const text = useQuery(queries.documentText(place.file));
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={place.file}
      description={`line ${place.line}`}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <Result of={text}>{(whole) => <Lines text={whole} line={place.line} />}</Result>
    </Dialog>
  );
}

/** Lines shown around the location: a whole book would slow the window down. */
const AROUND = 200;

function Lines({ text, line }: { text: string; line: number }) {
  const wanted = useRef<HTMLLIElement>(null);
  useEffect(() => wanted.current?.scrollIntoView?.({ block: "start" }), []);
  const first = Math.max(1, line - AROUND);
  const lines = text.split("\n").slice(first - 1, line + AROUND);
  return (
    <ol aria-label="Lines" className="selectable font-mono text-xs leading-5">
      {lines.map((words, at) => {
        const number = first + at;
        return (
          <li
            key={number}
            ref={number === line ? wanted : undefined}
            aria-current={number === line ? "location" : undefined}
            className={cn("flex gap-3", number === line && "bg-hover")}
          >
            <span className="num w-10 shrink-0 text-right text-faint select-none">{number}</span>
            <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">{words}</span>
          </li>
        );
      })}
    </ol>
  );
}
