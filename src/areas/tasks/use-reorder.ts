/** Moves one row of a list of equal rows, by pointer or keyboard; the list decides what that means. */
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";

/** A dragged row and its offset in pixels. Not its index: the list may change meanwhile. */
type Held = { id: number; offset: number; byKeys: boolean };

/** Distance in pixels from the edge of the scroller within which a dragged row makes it scroll. */
const EDGE = 48;
/** Pixels scrolled per frame. */
const STEP = 10;

export function useReorder({
  ids,
  height,
  onDrop,
}: {
  /** The rows in their order. */
  ids: readonly number[];
  /** Height of a row in pixels. */
  height: number;
  onDrop: (moved: number, over: number) => void;
}) {
  const [lifted, setLifted] = useState<Held | null>(null);
  const pointer = useRef<{ id: number; y: number; now: number; top: number; scroller: HTMLElement | null } | null>(
    null,
  );
  const from = lifted ? ids.indexOf(lifted.id) : -1;
  const isGone = lifted !== null && from < 0;
  const within = (to: number) => Math.max(0, Math.min(ids.length - 1, to));
  const held = lifted && !isGone ? { ...lifted, from, to: within(from + Math.round(lifted.offset / height)) } : null;
  const leave = () => {
    pointer.current = null;
    setLifted(null);
  };
  // A row that has left the list is no longer dragged, even if it comes back.
  useEffect(() => {
    if (!isGone) return;
    pointer.current = null;
    setLifted(null);
  }, [isGone]);
  const follow = () => {
    const of = pointer.current;
    if (!of) return;
    setLifted({ id: of.id, offset: of.now - of.y + ((of.scroller?.scrollTop ?? 0) - of.top), byKeys: false });
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
    leave();
    const [moved, over] = held ? [ids[held.from], ids[held.to]] : [];
    if (moved !== undefined && over !== undefined && moved !== over) onDrop(moved, over);
  };
  const byKey = (id: number, event: KeyboardEvent<HTMLElement>) => {
    const isLifted = held?.byKeys === true && held.id === id;
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      if (isLifted) drop();
      else setLifted({ id, offset: 0, byKeys: true });
    } else if (isLifted && move) {
      setLifted({ id, offset: (within(held.to + move) - held.from) * height, byKeys: true });
      // Once it is in its new place: a person who moves it past the edge of the window has to see where it goes.
      const handle = event.currentTarget;
      requestAnimationFrame(() => handle.scrollIntoView?.({ block: "nearest" }));
    } else if (held && event.key === "Escape") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    held,
    /** Props for the drag handle. */
    handle: (id: number) => ({
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const scroller = event.currentTarget.closest<HTMLElement>("[data-scroller]");
        pointer.current = { id, y: event.clientY, now: event.clientY, top: scroller?.scrollTop ?? 0, scroller };
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (!pointer.current) return;
        pointer.current.now = event.clientY;
        follow();
      },
      onPointerUp: drop,
      onPointerCancel: leave,
      onBlur: leave,
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => byKey(id, event),
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
