import { ChevronRight } from "lucide-react";
import { Fragment, memo, useState } from "react";
import { cn } from "@/lib/cn";
import { fieldsOf, KIND, kindOf } from "@/lib/loop/failure-fields";
import { outcomeWords } from "@/lib/loop/tool-outcome";
import type { Row } from "@/lib/loop/transcript-store";
import { toneText } from "@/ui/badge";

/** Estimated height of a row in pixels before it is measured: close, so that the scroll bar does not jump. */
export function estimateRow(row: Row | undefined): number {
  if (row?.kind === "text") return 12 + 20 * Math.ceil(row.text.length / 110);
  if (row?.kind === "sigil") return 52;
  return row?.kind === "tool" ? 38 : 24;
}

/** One row of the transcript, always as plain text: what an agent prints is never markup. */
export const TranscriptRow = memo(function TranscriptRow({ row }: { row: Row }) {
  switch (row.kind) {
    case "text":
      return <Words row={row} />;
    case "sigil":
      return <Sigil row={row} />;
    case "tool":
      return <Tool row={row} />;
    case "note":
      return (
        <p className="flex gap-3 pt-2 pb-1 text-xs">
          <span className={cn("w-20 shrink-0 truncate", row.tone === "dim" ? "text-faint" : toneText[row.tone])}>
            {row.label}
          </span>
          <span
            className={cn(
              "selectable min-w-0 whitespace-pre-wrap wrap-anywhere",
              row.tone === "bad" ? "text-bad" : "text-dim",
            )}
          >
            {row.text}
          </span>
        </p>
      );
  }
});

type Of<K extends Row["kind"]> = Extract<Row, { kind: K }>;

function Words({ row }: { row: Of<"text"> }) {
  const quiet = row.voice !== "agent";
  return (
    <p
      className={cn(
        "selectable max-w-4xl py-1.5 whitespace-pre-wrap wrap-anywhere",
        quiet && "border-l border-line pl-3 text-dim",
        row.voice === "thinking" && "italic",
      )}
    >
      {row.voice === "helper" && <span className="mr-2 text-xs text-faint">helper</span>}
      {row.text}
    </p>
  );
}

const sigilTone: Record<string, string> = {
  learning: "border-accent",
  "task-done": "border-ok",
  "task-failed": "border-bad",
  "failure-report": "border-bad",
};

/** The effect of a sigil, for those with a single one. */
const didWord: Record<string, string> = {
  "task-done": "Says the task is done",
  "task-failed": "Says the task failed",
  "difficulty-estimate": "Estimates the difficulty:",
  "next-model": "Asks for the next model:",
};

function Sigil({ row }: { row: Of<"sigil"> }) {
  const name = row.name.replaceAll("-", " ");
  if (BRIEF.includes(row.name)) {
    const about = row.name.startsWith("task-") && row.text !== "" ? `#${row.text}` : row.text;
    return (
      <p
        data-testid="sigil"
        className={cn("my-1.5 border-l-2 py-0.5 pl-3 font-medium", sigilTone[row.name] ?? "border-line-strong")}
      >
        {didWord[row.name] ?? name} <span className="num font-normal text-dim">{about}</span>
      </p>
    );
  }
  const report = row.name === "failure-report" ? fieldsOf(row.text) : [];
  if (report.length > 0) return <FailureCard fields={report} />;
  return (
    <div
      data-testid="sigil"
      className={cn(
        "my-1.5 max-w-4xl border-l-2 bg-hover py-1.5 pr-3 pl-3",
        sigilTone[row.name] ?? "border-line-strong",
      )}
    >
      {row.text !== "" && <p className="selectable whitespace-pre-wrap wrap-anywhere">{row.text}</p>}
      <p className="text-xs text-dim">
        {name}
        {row.detail && ` · ${row.detail}`}
      </p>
    </div>
  );
}

/** An agent's failure report: every field by its name, the reason first. */
function FailureCard({ fields }: { fields: [string, string][] }) {
  return (
    <section
      data-testid="sigil"
      aria-label="Failure report"
      className="my-1.5 max-w-4xl rounded-lg border border-bad/40 bg-bad-soft px-3.5 py-2.5"
    >
      <p className="mb-1.5 font-medium text-bad">Failure report: told to the next attempt</p>
      <dl className="grid grid-cols-[8.5rem_minmax(0,1fr)] gap-x-4 gap-y-1">
        {fields.map(([name, words]) => (
          <Fragment key={name}>
            <dt className="text-xs leading-5 text-dim">{name}</dt>
            {name === KIND ? (
              <dd title={`In the agent's words: ${words}`}>{kindOf(words)}</dd>
            ) : (
              <dd className="selectable whitespace-pre-wrap wrap-anywhere">{words}</dd>
            )}
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

/** Sigils that are a single word about the task, shown without a box. */
const BRIEF = ["task-done", "task-failed", "difficulty-estimate", "next-model"];

function Tool({ row }: { row: Of<"tool"> }) {
  const [open, setOpen] = useState(false);
  const { result } = row;
  return (
    <div
      className={cn(
        "my-0.75 rounded-md border bg-panel",
        result?.failed ? "border-bad/50" : row.knowledge ? "border-accent/50" : "border-line",
      )}
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="num flex h-7.5 w-full items-center gap-2.5 px-2.5 text-left text-xs"
      >
        <ChevronRight
          size={12}
          aria-hidden="true"
          className={cn("shrink-0 text-faint transition-transform", open && "rotate-90")}
        />
        <span className="max-w-[45%] shrink-0 truncate text-dim">{row.name}</span>
        <span className="min-w-0 flex-1 truncate font-mono">{row.target}</span>
        <span className={cn("max-w-[45%] shrink-0 truncate text-right", result?.failed ? "text-bad" : "text-faint")}>
          {result ? outcomeWords(result) : "…"}
        </span>
      </button>
      {open && (
        <div className="selectable border-t border-line px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
          <p>{row.target}</p>
          <p className={cn("mt-2", result?.failed ? "text-bad" : "text-dim")}>
            {result ? result.text || "(no output)" : "No result yet."}
          </p>
        </div>
      )}
    </div>
  );
}
