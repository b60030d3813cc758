import { zoomWindow } from "@/ipc";

const KEY = "ralph.zoom";
/** The steps of a browser. Below the first nobody reads a word, above the last no row fits. */
const STEPS = [0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3];
const ACTUAL = 1;

function current(): number {
  const stored = Number(localStorage.getItem(KEY));
  return STEPS.includes(stored) ? stored : ACTUAL;
}

/** Keeps the size for the next start. */
function setZoom(factor: number): void {
  if (factor === ACTUAL) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, String(factor));
  // A shell that rejects it shows the window as it was.
  zoomWindow(factor).catch(() => undefined);
}

/** By one step, or back to the actual size. */
export function zoom(way: "in" | "out" | "actual"): void {
  const at = STEPS.indexOf(current());
  const next = way === "actual" ? ACTUAL : STEPS[at + (way === "in" ? 1 : -1)];
  if (next !== undefined) setZoom(next);
}

/** Restores the size of the last time. */
export function startZoom(): void {
  if (current() !== ACTUAL) setZoom(current());
}
