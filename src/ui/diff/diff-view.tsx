import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type Ref, useCallback, useImperativeHandle, useMemo, useRef, useState } from "react";
import { HunkRow, LineRow as Line, SaidRow } from "./diff-row";
import { type FileActs, FileHead } from "./file-head";
import { usePainter } from "./painter";
import type { DiffFile, DiffLine } from "./parse";
import { type RemarkActs, RemarkRow, WritingRow } from "./remark-row";
import {
  type Layout,
  type LinePlace,
  type LineRemark,
  placeOf,
  type Row,
  rowsOf,
  type Shown,
  type WrittenPlace,
} from "./rows";

/** Methods for keys and lists beside the view. */
export type DiffHandle = {
  toFile: (path: string) => void;
  /** Moves to the next or previous run of changed lines, or line. */
  step: (what: "change" | "line", by: 1 | -1) => void;
  /** The target of a remark on the current line. */
  place: () => LinePlace | null;
};

export type Remarks = RemarkActs & {
  all: readonly LineRemark[];
  writing: WrittenPlace | null;
  onPlace: (place: LinePlace) => void;
};

const NO_REMARKS: readonly LineRemark[] = [];
const HEIGHT: Record<Row["kind"], number> = {
  file: 36,
  hunk: 28,
  line: 20,
  pair: 20,
  said: 36,
  remark: 72,
  writing: 156,
};

/** Files, hunks and lines; only visible rows are rendered. The header of the current file is sticky. */
export function DiffView({
  files,
  layout,
  collapsed,
  viewed,
  whole,
  acts,
  remarks,
  onFile,
  ref,
}: {
  files: readonly DiffFile[];
  layout: Layout;
  collapsed: ReadonlySet<string>;
  viewed: ReadonlySet<string>;
  /** Files that are shown in full (`true`), or are being loaded (`null`). */
  whole: ReadonlyMap<string, true | null>;
  acts: FileActs;
  remarks?: Remarks;
  /** Called with the path of the current file. */
  onFile?: (path: string) => void;
  ref?: Ref<DiffHandle>;
}) {
  const loads = acts.onWhole !== undefined;
  const [all, writing] = [remarks?.all ?? NO_REMARKS, remarks?.writing ?? null];
  const shown = useMemo(
    () => rowsOf(files, { layout, collapsed, remarks: all, writing, loads }),
    [files, layout, collapsed, all, writing, loads],
  );
  const painter = usePainter();
  const { scroller, list, cursor, setCursor, byHand } = useRows(shown, onFile, ref);

  const latest = useRef(remarks);
  latest.current = remarks;
  const onPlace = useCallback(
    (row: Row, line: DiffLine) => {
      const place = (row.kind === "line" || row.kind === "pair") && placeOf(row.file, row.hunk, line);
      setCursor(row.key);
      if (place) latest.current?.onPlace(place);
    },
    [setCursor],
  );

  const render = (row: Row) => {
    switch (row.kind) {
      case "file":
        return (
          <FileHead
            file={row.file}
            collapsed={collapsed.has(row.file.path)}
            viewed={viewed.has(row.file.path)}
            whole={whole.has(row.file.path) && (whole.get(row.file.path) ?? null)}
            current={cursor === row.key}
            acts={acts}
          />
        );
      case "hunk":
        return <HunkRow row={row} />;
      case "said":
        return <SaidRow row={row} onLoad={() => acts.onWhole?.(row.file.path)} />;
      case "remark":
        return remarks && <RemarkRow remark={row.remark} acts={remarks} />;
      case "writing":
        return remarks && <WritingRow place={row.place} acts={remarks} />;
      default: {
        const [left, right] = row.kind === "line" ? [row.line, null] : [row.left, row.right];
        const tokens = (line: DiffLine | null) => line && painter.tokens(row.file, row.hunk, line);
        return (
          <Line
            row={row}
            left={tokens(left)}
            right={tokens(right)}
            current={cursor === row.key}
            onPlace={remarks && onPlace}
          />
        );
      }
    }
  };

  return (
    <section
      aria-label="Diff"
      ref={scroller}
      data-list
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard.
      tabIndex={0}
      onWheel={byHand}
      onPointerDown={byHand}
      className="min-h-0 min-w-0 flex-1 overflow-y-auto outline-offset-[-2px] [overflow-anchor:none]"
    >
      <ul aria-label="Diff" className="relative" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map((item) => {
          const row = shown.rows[item.index] as Row;
          const stays = row.kind === "file" && item.start <= (list.scrollOffset ?? 0);
          return (
            <li
              key={item.key}
              ref={list.measureElement}
              data-index={item.index}
              className={stays ? "sticky inset-x-0 top-0 z-2" : "absolute inset-x-0 top-0"}
              style={stays ? undefined : { transform: `translateY(${item.start}px)` }}
            >
              {render(row)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The virtual list, the current row, and the current file. */
function useRows(shown: Shown, onFile: ((path: string) => void) | undefined, ref: Ref<DiffHandle> | undefined) {
  const scroller = useRef<HTMLElement>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const { rows, files, changes } = shown;
  const heads = useMemo(() => [...files.values()], [files]);
  const steered = useRef(true);
  const told = useRef<string | null>(null);
  const tell = (index: number) => {
    const path = rows[index]?.file.path;
    if (path === undefined || path === told.current) return;
    told.current = path;
    onFile?.(path);
  };
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHT[rows[index]?.kind ?? "line"],
    getItemKey: (index) => rows[index]?.key ?? index,
    rangeExtractor: (range: Range) => {
      const head = heads.findLast((row) => row <= range.startIndex);
      const usual = defaultRangeExtractor(range);
      return head === undefined || usual.includes(head) ? usual : [head, ...usual];
    },
    overscan: 16,
    useFlushSync: false,
    onChange: (instance) => {
      // While scrolling, the first visible row determines the current file; with keys, the current row does.
      if (!steered.current && instance.range) tell(instance.range.startIndex);
    },
  });
  const to = (index: number, align: "start" | "center" | "auto") => {
    const row = rows[index];
    if (!row) return;
    steered.current = true;
    setCursor(row.key);
    list.scrollToIndex(index, { align });
    tell(index);
  };
  const at = () => (cursor === null ? -1 : rows.findIndex(({ key }) => key === cursor));
  useImperativeHandle(ref, () => ({
    toFile: (path) => to(files.get(path) ?? -1, "start"),
    step: (what, by) => {
      const here = Math.max(at(), cursor === null ? (list.range?.startIndex ?? 0) - 1 : 0);
      if (what === "change") {
        const next = by > 0 ? changes.find((row) => row > here) : changes.findLast((row) => row < here);
        if (next !== undefined) to(next, "center");
        return;
      }
      const isLine = (row: Row | undefined) => row?.kind === "line" || row?.kind === "pair";
      let next = here + by;
      while (next >= 0 && next < rows.length && !isLine(rows[next])) next += by;
      if (isLine(rows[next])) to(next, "center");
    },
    place: () => {
      const row = rows[at()];
      if (row?.kind === "line") return placeOf(row.file, row.hunk, row.line);
      if (row?.kind !== "pair") return null;
      const line = row.right ?? row.left;
      return line && placeOf(row.file, row.hunk, line);
    },
  }));
  const byHand = () => {
    steered.current = false;
  };
  return { scroller, list, cursor, setCursor, byHand };
}
