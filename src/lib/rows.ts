import type { KeyboardEvent } from "react";

/** Moves the focus between the `[data-row]` elements of a list with the arrow keys or j and k. */
export function rowKeys(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const target = event.target as HTMLElement;
  if (!step || event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, [role=combobox]"))
    return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const here = rows.findIndex((row) => row === target || row.contains(target));
  const next = rows[here + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
