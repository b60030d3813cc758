import { defaultRangeExtractor, type Range, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import {
  type FocusEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { cn } from "@/lib/cn";
import { rowKeys } from "@/lib/rows";

type Rows<T> = {
  items: readonly T[];
  /** The identity of a row that moves; omitted if rows keep their places, so that thousands of them need not be placed again. */
  keyOf?: (item: T) => string | number;
  /** Estimated height of a row in pixels before it is rendered. */
  estimate: number;
  render: (item: T, index: number) => ReactNode;
  label: string;
  className?: string;
};

/** Rows rendered beyond each end of the visible ones: enough for a turn of the wheel and for the arrow keys. */
const OVERSCAN = 5;

/** Renders the rows nearby, and the focused one wherever it is: text being typed there must not vanish. */
function useFocused() {
  const focused = useRef<number | null>(null);
  const rangeExtractor = useCallback((range: Range) => {
    const near = defaultRangeExtractor(range);
    const kept = focused.current;
    if (kept === null || kept >= range.count || near.includes(kept)) return near;
    return [...near, kept].sort((a, b) => a - b);
  }, []);
  const handlers = {
    onFocus: (event: FocusEvent<HTMLElement>) => {
      const at = (event.target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset.index;
      focused.current = at === undefined ? null : Number(at);
    },
    onBlur: () => {
      focused.current = null;
    },
  };
  return { rangeExtractor, handlers };
}

/** The same function for the same rows: for each new function the virtualizer places all rows again, ten thousand in every frame. */
function useItemKey<T>({ items, keyOf }: Pick<Rows<T>, "items" | "keyOf">) {
  const key = useCallback((index: number) => keyOf?.(items[index] as T) ?? index, [items, keyOf]);
  return keyOf && key;
}

/** A long list of rows of varying height that scrolls by itself; only visible rows are rendered. */
export function VirtualList<T>({
  className,
  onDrawn,
  ...of
}: Rows<T> & {
  /** Receives the numbers of the rendered rows, in order. */
  onDrawn?: (rows: readonly number[]) => void;
}) {
  const scroller = useRef<HTMLElement>(null);
  const { rangeExtractor, handlers } = useFocused();
  const list = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: of.items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => of.estimate,
    getItemKey: useItemKey(of),
    overscan: OVERSCAN,
    rangeExtractor,
    useFlushSync: false,
    // If the person has scrolled down, rows added above don't move what is under their eyes and pointer; at the top the new rows are seen.
    anchorTo: of.keyOf && (scroller.current?.scrollTop ?? 0) > 0 ? "end" : "start",
  });
  const drawn = list.getVirtualIndexes();
  useEffect(() => onDrawn?.(drawn), [onDrawn, drawn]);
  return (
    <section
      aria-label={of.label}
      ref={scroller}
      data-list
      className={cn("min-h-0 flex-1 overflow-y-auto low:min-h-56", className)}
      onKeyDown={rowKeys}
      {...handlers}
    >
      <Drawn list={list} margin={0} {...of} />
    </section>
  );
}

/** The same within a page that scrolls as a whole, with content above and below. */
export function PageRows<T>(of: Rows<T>) {
  const place = useRef<HTMLDivElement>(null);
  const { scroller, margin } = usePlace(place);
  const { rangeExtractor, handlers } = useFocused();
  const list = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: of.items.length,
    getScrollElement: () => scroller,
    estimateSize: () => of.estimate,
    getItemKey: useItemKey(of),
    overscan: OVERSCAN,
    scrollMargin: margin,
    rangeExtractor,
    useFlushSync: false,
  });
  return (
    <div ref={place} className={of.className} {...handlers}>
      <Drawn list={list} margin={margin} {...of} />
    </div>
  );
}

/** The scrolling element and the list's offset in it; both may change with the content above. */
function usePlace(place: { current: HTMLElement | null }): { scroller: HTMLElement | null; margin: number } {
  const [found, setFound] = useState<{ scroller: HTMLElement | null; margin: number }>({ scroller: null, margin: 0 });
  useLayoutEffect(() => {
    const scroller = place.current?.closest<HTMLElement>("[data-scroller]") ?? null;
    const measure = () => {
      if (!place.current || !scroller) return;
      const top = place.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      const margin = Math.round(top + scroller.scrollTop);
      setFound((before) => (before.scroller === scroller && before.margin === margin ? before : { scroller, margin }));
    };
    measure();
    if (!scroller) return;
    const watch = new ResizeObserver(measure);
    for (const part of scroller.children) watch.observe(part);
    // Content added above later, such as a note, is observed, too.
    const parts = new MutationObserver(() => {
      watch.disconnect();
      for (const part of scroller.children) watch.observe(part);
    });
    parts.observe(scroller, { childList: true });
    return () => {
      watch.disconnect();
      parts.disconnect();
    };
  }, [place]);
  return found;
}

function Drawn<T>({
  list,
  margin,
  items,
  render,
  label,
}: Rows<T> & { list: Virtualizer<HTMLElement, HTMLLIElement>; margin: number }) {
  return (
    <ul aria-label={label} className="relative" style={{ height: list.getTotalSize() }}>
      {list.getVirtualItems().map((row) => {
        const item = items[row.index];
        return (
          item !== undefined && (
            <li
              key={row.key}
              ref={list.measureElement}
              data-index={row.index}
              aria-setsize={items.length}
              aria-posinset={row.index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${row.start - margin}px)` }}
            >
              <One item={item} index={row.index} render={render as (item: unknown, index: number) => ReactNode} />
            </li>
          )
        );
      })}
    </ul>
  );
}

/** Scrolling moves the window over the rows; a row that stays in it is not rendered again. */
const One = memo(
  ({ item, index, render }: { item: unknown; index: number; render: (item: unknown, index: number) => ReactNode }) =>
    render(item, index),
);
