/** Moves one row of a list of equal rows, by pointer or keyboard; the list decides what that means. */
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";

/** A dragged row: its original index, its target index, and its offset in pixels. */
type Held = { from: number; to: number; offset: number; byKeys: boolean };

/** Distance in pixels from the edge of the scroller within which a dragged row makes it scroll. */
const EDGE = 48;
/** Pixels scrolled per frame. */
const STEP = 10;

export function useReorder({
  count,
  height,
  onDrop,
}: {
  count: number;
  /** Height of a row in pixels. */
  height: number;
  onDrop: (from: number, to: number) => void;
}) {
  const [held, setHeld] = useState<Held | null>(null);
  const pointer = useRef<{ index: number; y: number; now: number; top: number; scroller: HTMLElement | null } | null>(
    null,
  );
  const within = (to: number) => Math.max(0, Math.min(count - 1, to));
  const follow = () => {
    const of = pointer.current;
    if (!of) return;
    const offset = of.now - of.y + ((of.scroller?.scrollTop ?? 0) - of.top);
    setHeld({ from: of.index, to: within(of.index + Math.round(offset / height)), offset, byKeys: false });
  };
  const followNow = useRef(follow);
  followNow.current = follow;
  const dragging = held !== null && !held.byKeys;
  useEffect(() => {
    if (!dragging) return;
    let frame = requestAnimationFrame(function scroll() {
      const of = pointer.current;
      const edges = of?.scroller?.getBoundingClientRect();
      if (of?.scroller && edges) {
        const by = of.now < edges.top + EDGE ? -STEP : of.now > edges.bottom - EDGE ? STEP : 0;
        const before = of.scroller.scrollTop;
        of.scroller.scrollTop += by;
        if (of.scroller.scrollTop !== before) followNow.current();
      }
      frame = requestAnimationFrame(scroll);
    });
    return () => cancelAnimationFrame(frame);
  }, [dragging]);
  const drop = () => {
    pointer.current = null;
    setHeld(null);
    if (held && held.to !== held.from) onDrop(held.from, held.to);
  };
  const leave = () => {
    pointer.current = null;
    setHeld(null);
  };
  const byKey = (index: number, event: KeyboardEvent<HTMLElement>) => {
    const lifted = held?.byKeys === true && held.from === index;
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      if (lifted) drop();
      else setHeld({ from: index, to: index, offset: 0, byKeys: true });
    } else if (lifted && move) {
      const to = within(held.to + move);
      setHeld({ ...held, to, offset: (to - index) * height });
    } else if (held && event.key === "Escape") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    held,
    /** Props for the drag handle. */
    handle: (index: number) => ({
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const scroller = event.currentTarget.closest<HTMLElement>("[data-scroller]");
        pointer.current = { index, y: event.clientY, now: event.clientY, top: scroller?.scrollTop ?? 0, scroller };
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (!pointer.current) return;
        pointer.current.now = event.clientY;
        follow();
      },
      onPointerUp: drop,
      onPointerCancel: leave,
      onBlur: leave,
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => byKey(index, event),
    }),
    /** The offset of a row during a drag: the dragged one follows the pointer, the others make room. */
    shift: (index: number): number => {
      if (!held) return 0;
      if (index === held.from) return held.offset;
      if (index > held.from && index <= held.to) return -height;
      return index < held.from && index >= held.to ? height : 0;
    },
  };
}
