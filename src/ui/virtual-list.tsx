import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import { cn } from "@/lib/cn";
import { rowKeys } from "@/lib/rows";

/** A long list of rows of differing heights that scrolls by itself; only what is seen exists. */
export function VirtualList<T>({
  items,
  keyOf,
  estimate,
  render,
  label,
  className,
}: {
  items: readonly T[];
  keyOf: (item: T) => string | number;
  estimate: number;
  render: (item: T, index: number) => ReactNode;
  label: string;
  className?: string;
}) {
  const scroller = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate,
    getItemKey: (index) => keyOf(items[index] as T),
    overscan: 8,
  });
  return (
    <section
      aria-label={label}
      ref={scroller}
      className={cn("min-h-0 flex-1 overflow-y-auto", className)}
      onKeyDown={rowKeys}
    >
      <ul aria-label={label} className="relative" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map((row) => (
          <li
            key={row.key}
            ref={list.measureElement}
            data-index={row.index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${row.start}px)` }}
          >
            {render(items[row.index] as T, row.index)}
          </li>
        ))}
      </ul>
    </section>
  );
}
