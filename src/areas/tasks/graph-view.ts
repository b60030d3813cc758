/** What of a large drawing is in view, and how large: moved, made larger and smaller, fitted. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

export type Point = { x: number; y: number };
export type Box = { width: number; height: number };
/** Where the drawing's corner stands on the screen, in pixels, and how many of them one of its own is. */
export type View = Point & { scale: number };

const SMALLEST = 0.02;
const LARGEST = 2;
/** How much a turn of the wheel by one pixel changes the size, as an exponent. */
const WHEEL = 0.0015;

/** The view that shows all of `box` in `size`, in its middle, never larger than life. */
export function fitted(box: Box, size: Box): View {
  const scale = Math.max(SMALLEST, Math.min(1, size.width / box.width, size.height / box.height));
  return {
    scale,
    x: Math.max(0, (size.width - box.width * scale) / 2),
    y: Math.max(0, (size.height - box.height * scale) / 2),
  };
}

/** The view made `by` times as large, with `still` where it is on the screen. */
export function zoomed(view: View, by: number, still: Point): View {
  const scale = Math.min(LARGEST, Math.max(SMALLEST, view.scale * by));
  const factor = scale / view.scale;
  return { scale, x: still.x - (still.x - view.x) * factor, y: still.y - (still.y - view.y) * factor };
}

/** Begins with the whole where it can be read at `readable`, otherwise with the upper left corner at life size. */
export function useView(frame: RefObject<HTMLElement | null>, box: Box, readable: number) {
  const [size, setSize] = useState<Box>({ width: 0, height: 0 });
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const begun = useRef(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => {
      const now = { width: element.clientWidth, height: element.clientHeight };
      setSize(now);
      if (begun.current || now.width === 0) return;
      begun.current = true;
      const all = fitted(box, now);
      if (all.scale >= readable) setView(all);
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, [frame, box, readable]);
  const middle = { x: size.width / 2, y: size.height / 2 };
  const pan = useCallback((dx: number, dy: number) => setView((v) => ({ ...v, x: v.x + dx, y: v.y + dy })), []);
  useEffect(() => {
    const element = frame.current;
    const onWheel = (event: WheelEvent) => {
      // A listener of React's can't keep the page from scrolling along.
      event.preventDefault();
      if (!event.ctrlKey && !event.metaKey) return pan(-event.deltaX, -event.deltaY);
      const corner = (event.currentTarget as HTMLElement).getBoundingClientRect();
      const still = { x: event.clientX - corner.left, y: event.clientY - corner.top };
      setView((v) => zoomed(v, Math.exp(-event.deltaY * WHEEL), still));
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, [frame, pan]);
  return {
    view,
    size,
    pan,
    zoom: (by: number) => setView((v) => zoomed(v, by, middle)),
    whole: () => setView(fitted(box, size)),
    /** Brings a place of the drawing into the middle, large enough to be read. */
    show: ({ x, y }: Point) =>
      setView((v) => {
        const scale = Math.max(v.scale, 0.8);
        return { scale, x: middle.x - x * scale, y: middle.y - y * scale };
      }),
  };
}
