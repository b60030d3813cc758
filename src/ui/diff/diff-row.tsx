import { memo, type ReactNode } from "react";
import { cn } from "@/lib/cn";
import { Button } from "@/ui/button";
import { Code } from "./code";
import type { Token } from "./grammars";
import type { DiffLine } from "./parse";
import type { Row } from "./rows";

type CodeRow = Extract<Row, { kind: "line" | "pair" }>;

const back = { same: "", added: "bg-ok-soft", removed: "bg-bad-soft" } as const;
const signs = { same: " ", added: "+", removed: "−" } as const;
const signTone = { same: "", added: "text-ok", removed: "text-bad" } as const;

/** A line, or two side by side. */
export const LineRow = memo(function LineRow({
  row,
  left,
  right,
  current,
  onPlace,
}: {
  row: CodeRow;
  left: Token[] | null;
  right: Token[] | null;
  current: boolean;
  /** Missing if remarks are not possible here. */
  onPlace?: (row: Row, line: DiffLine) => void;
}) {
  const ends = row.file.mixedEnds;
  const place = onPlace && ((line: DiffLine) => onPlace(row, line));
  return (
    <div
      data-testid="diff-line"
      aria-current={current || undefined}
      className={cn(
        "selectable flex font-mono text-xs leading-5",
        current && "relative z-1 outline-1 -outline-offset-1 outline-accent",
      )}
    >
      {row.kind === "line" ? (
        <Side line={row.line} tokens={left} ends={ends}>
          <Numbers line={row.line} sides="both" onPlace={place} />
        </Side>
      ) : (
        <>
          <Side line={row.left} tokens={left} ends={ends} half>
            <Numbers line={row.left} sides="old" onPlace={place} />
          </Side>
          <Side line={row.right} tokens={right} ends={ends} half>
            <Numbers line={row.right} sides="new" onPlace={place} />
          </Side>
        </>
      )}
    </div>
  );
});

function Side({
  line,
  tokens,
  ends,
  half = false,
  children,
}: {
  line: DiffLine | null;
  tokens: Token[] | null;
  ends: boolean;
  half?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      className={cn(
        "flex min-w-0 pr-3",
        half ? "w-1/2 border-line last:border-l" : "flex-1",
        line ? back[line.kind] : "bg-hover",
      )}
    >
      {children}
      {line && (
        <>
          <span aria-hidden="true" className={cn("w-5 shrink-0 text-center select-none", signTone[line.kind])}>
            {signs[line.kind]}
          </span>
          {line.kind !== "same" && <span className="sr-only">{line.kind}: </span>}
          <Code line={line} tokens={tokens} ends={ends} />
        </>
      )}
    </div>
  );
}

/** The line numbers; a click on them starts a remark. */
function Numbers({
  line,
  sides,
  onPlace,
}: {
  line: DiffLine | null;
  sides: "both" | "old" | "new";
  onPlace?: (line: DiffLine) => void;
}) {
  const look = "num shrink-0 text-right text-2xs leading-5 text-faint select-none";
  // A screen reader would read the two numbers of the button as one, so they are drawn by CSS, not as text.
  const number = (n: number | null | undefined) =>
    sides === "both" && onPlace ? (
      <span data-n={n ?? ""} className="block h-5 w-11 pr-2 before:content-[attr(data-n)]" />
    ) : (
      <span className="block h-5 w-11 pr-2">{n}</span>
    );
  const shown = (
    <>
      {sides !== "new" && number(line?.old)}
      {sides !== "old" && number(line?.new)}
    </>
  );
  if (!line || !onPlace) return <span className={cn(look, "flex")}>{shown}</span>;
  return (
    <button
      type="button"
      // The arrow keys reach every line; with Tab it would take too long.
      tabIndex={-1}
      aria-label={`Comment on line ${line.new ?? line.old ?? ""}`}
      title="Comment on this line (c)"
      onClick={() => onPlace(line)}
      className={cn(look, "flex items-start self-stretch hover:bg-accent-soft hover:text-accent")}
    >
      {shown}
    </button>
  );
}

export function HunkRow({ row }: { row: Extract<Row, { kind: "hunk" }> }) {
  return (
    <div className="flex h-7 items-center gap-3 bg-accent-soft/50 px-3 font-mono text-2xs whitespace-nowrap text-dim">
      <span className="num shrink-0">{row.hunk.head}</span>
      <span className="truncate text-faint">{row.hunk.section}</span>
    </div>
  );
}

export function SaidRow({ row, onLoad }: { row: Extract<Row, { kind: "said" }>; onLoad: () => void }) {
  return (
    <p className="flex min-h-9 items-center gap-3 px-4 py-1.5 text-dim">
      {row.text}
      {row.loads && (
        <Button size="sm" onClick={onLoad}>
          Read it
        </Button>
      )}
    </p>
  );
}
