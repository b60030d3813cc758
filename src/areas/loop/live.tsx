import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Followed } from "@/ipc";
import { cn } from "@/lib/cn";
import { clock, count, moment } from "@/lib/format";
import { isFault, type TranscriptSnapshot, type TranscriptStore } from "@/lib/loop/transcript-store";
import { Button } from "@/ui/button";
import { Empty, ErrorNote, Skeleton } from "@/ui/state";
import { countFaults, type Find, FindBar, matches } from "./find-bar";
import { estimateRow, TranscriptRow } from "./transcript-row";
import { useTranscript } from "./use-transcript";

/** Distance in pixels from the end within which the reader counts as being there. */
const AT_END = 24;

/** The live transcript of an agent. */
export function Live({
  of,
  onFollowing,
}: {
  of: Followed;
  /** Called with whether the reader is at its end. */
  onFollowing?: (on: boolean) => void;
}) {
  const { store, snapshot, fault, retry } = useTranscript(of);
  if (fault) {
    return (
      <div className="p-5">
        <ErrorNote fault={fault} onRetry={retry} />
      </div>
    );
  }
  if (snapshot.gone) {
    return (
      <Empty title="The transcript's file is not there">
        It was deleted or moved away, or no agent was ever started.
      </Empty>
    );
  }
  if (snapshot.rows.length === 0) {
    return snapshot.ended ? (
      <Empty title="The transcript is empty">The agent ended without a word.</Empty>
    ) : (
      <Skeleton />
    );
  }
  return <Transcript store={store} snapshot={snapshot} onFollowing={onFollowing} />;
}

function Transcript({
  store,
  snapshot,
  onFollowing,
}: {
  store: TranscriptStore;
  snapshot: TranscriptSnapshot;
  onFollowing?: (on: boolean) => void;
}) {
  const { dropped } = snapshot;
  const [find, setFind] = useState<Find>({ text: "", faults: false });
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const faults = useMemo(() => countFaults(snapshot.rows), [snapshot]);
  const rows = useMemo(() => (find.faults ? snapshot.rows.filter(isFault) : snapshot.rows), [snapshot, find.faults]);
  const sought = useDeferredValue(find.text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store's rows are one array that grows; the snapshot tells it.
  const hits = useMemo(() => matches(rows, sought), [rows, sought, snapshot]);
  const scroller = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  useEffect(() => onFollowing?.(following), [onFollowing, following]);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimateRow(rows[index]),
    getItemKey: (index) => rows[index]?.seq ?? index,
    overscan: 12,
    useFlushSync: false,
    paddingStart: 12,
    // The last row stands clear of the words at the bottom.
    paddingEnd: snapshot.ended ? 16 : 36,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: AT_END,
  });
  const total = list.getTotalSize();
  // Rows are measured when drawn, so the end moves without a new row; a reader at the end stays there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: again whenever the end may have moved.
  useLayoutEffect(() => {
    if (store.following) list.scrollToEnd();
  }, [total, rows.length, dropped]);
  const current = hits[Math.min(at, hits.length - 1)];
  const show = (hit: number) => {
    const row = hits[hit];
    if (row === undefined) return;
    setAt(hit);
    store.following = false;
    setFollowing(false);
    list.scrollToIndex(row, { align: "center" });
  };
  // A new search shows its first match at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when other words are looked for.
  useEffect(() => show(0), [sought]);
  // Set explicitly, not only by scrolling: until the scrolling is over, new rows have moved the end away.
  const toEnd = () => {
    store.following = true;
    setFollowing(true);
    list.scrollToEnd();
  };
  const lastTop = useRef(0);
  const onScroll = () => {
    const top = scroller.current?.scrollTop ?? 0;
    const atEnd = list.isAtEnd(AT_END);
    // Only a reader scrolls up; new rows and late measurements move the end down.
    if (atEnd || top < lastTop.current - 1) {
      store.following = atEnd;
      setFollowing(atEnd);
    }
    lastTop.current = top;
  };
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <FindBar
        rows={rows}
        faults={faults}
        find={find}
        onFind={setFind}
        hits={hits.length}
        at={Math.max(0, Math.min(at, hits.length - 1))}
        onStep={(by) => show((at + by + hits.length) % Math.max(1, hits.length))}
        input={input}
      />
      <div
        ref={scroller}
        onScroll={onScroll}
        onKeyDown={(event) => {
          if (event.key !== "End") return;
          event.preventDefault();
          toEnd();
        }}
        className="min-h-0 flex-1 overflow-y-auto"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard.
        tabIndex={0}
        role="log"
        aria-label="Transcript"
        aria-live="off"
      >
        {dropped > 0 && (
          <p className="num pt-3 text-center text-xs text-faint">{count(dropped, "earlier row")} are in the log file</p>
        )}
        <div className="relative" style={{ height: total }}>
          {list.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return (
              row && (
                <div
                  key={item.key}
                  ref={list.measureElement}
                  data-index={item.index}
                  className={cn(
                    "absolute inset-x-0 top-0 grid grid-cols-[3.5rem_minmax(0,1fr)] px-6",
                    item.index === current && "bg-warn-soft",
                  )}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <time dateTime={row.at} className="num pt-2 text-2xs leading-4 text-faint" title={moment(row.at)}>
                    {clock(row.at)}
                  </time>
                  <TranscriptRow row={row} />
                </div>
              )
            );
          })}
        </div>
      </div>
      <div className="pointer-events-none absolute right-4 bottom-3 flex items-center gap-2">
        {following ? (
          !snapshot.ended && <span className="rounded-full bg-raised px-2.5 py-0.5 text-2xs text-dim">following</span>
        ) : (
          <Button size="sm" className="pointer-events-auto shadow-pop" onClick={toEnd}>
            <ArrowDown size={12} aria-hidden="true" /> To the end
          </Button>
        )}
      </div>
    </div>
  );
}
