import type { KeyboardEvent } from "react";
import { shortcut } from "./keys";

/** Moves the focus between the `[data-row]` elements of a list with the arrow keys or j and k. */
export function rowKeys(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[shortcut(event)];
  const target = event.target as HTMLElement;
  // Keys in a menu or dialog that a row opened arrive here, too: React bubbles them to the component that rendered it, wherever it is in
  // the page.
  if (!event.currentTarget.contains(target)) return;
  if (!step || event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, [role=combobox]"))
    return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const here = rows.findIndex((row) => row === target || row.contains(target));
  const next = rows[here + step];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  // Not under what stays in view at the edge, such as the filters of a list: focusing alone would leave the row hidden behind it.
  next.scrollIntoView?.({ block: "nearest" });
}

/** All rows of the page, in order. */
export const rowsOfPage = () => [...document.querySelectorAll<HTMLElement>("main [data-row]")];

/** The row that something belongs to, which may be one link of it. */
export function rowOf(target: EventTarget | null): HTMLElement | null {
  if (!(target instanceof Element)) return null;
  const own = target.closest<HTMLElement>("main [data-row]");
  return own ?? target.closest("main li")?.querySelector<HTMLElement>("[data-row]") ?? null;
}
