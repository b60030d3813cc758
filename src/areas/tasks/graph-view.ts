/** The visible part and the scale of a large drawing: panning, zooming, fitting. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

export type Point = { x: number; y: number };
export type Box = { width: number; height: number };
/** The screen position of the drawing's corner in pixels, and the scale. */
export type View = Point & { scale: number };

const SMALLEST = 0.02;
const LARGEST = 2;
/** Zoom per pixel of wheel movement, as an exponent. */
const WHEEL = 0.0015;

/** The view that shows all of `box` centered in `size`, never enlarged. */
export function fitted(box: Box, size: Box): View {
  const scale = Math.max(SMALLEST, Math.min(1, size.width / box.width, size.height / box.height));
  return {
    scale,
    x: Math.max(0, (size.width - box.width * scale) / 2),
    y: Math.max(0, (size.height - box.height * scale) / 2),
  };
}

/** The view zoomed by a factor around the point `still`. */
export function zoomed(view: View, by: number, still: Point): View {
  const scale = Math.min(LARGEST, Math.max(SMALLEST, view.scale * by));
  const factor = scale / view.scale;
  return { scale, x: still.x - (still.x - view.x) * factor, y: still.y - (still.y - view.y) * factor };
}

/** The initial view: everything if it is legible at `readable`, otherwise the upper left corner at scale 1. */
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
      // React's listeners are passive and can't keep the page from scrolling.
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
    /** Centers a point of the drawing, large enough to be legible. */
    show: ({ x, y }: Point) =>
      setView((v) => {
        const scale = Math.max(v.scale, 0.8);
        return { scale, x: middle.x - x * scale, y: middle.y - y * scale };
      }),
  };
}
