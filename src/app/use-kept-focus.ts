/** Keeps the place of a person whose row, or the part of it that had the focus, is gone: settled, put away, or moved to another group. */
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { rowOf, rowsOfPage } from "@/lib/rows";

/** What opens above the page and gives the focus back. */
const OVERLAYS = "[role=dialog], [role=menu], [role=listbox]";

/** What had the focus, its row, and the rows around it. */
type Held = { target: HTMLElement; row: HTMLElement; rows: HTMLElement[]; path: string };

/** The row itself, the next one, the one before, or what took their place; without any row the page. */
function nearest({ row, rows }: Held): HTMLElement | null {
  if (row.isConnected) return row;
  const at = rows.indexOf(row);
  const near = [...rows.slice(at + 1), ...rows.slice(0, at).reverse()].find(({ isConnected }) => isConnected);
  const now = rowsOfPage();
  return near ?? now[Math.min(at, now.length - 1)] ?? document.querySelector("main");
}

export function useKeptFocus(): void {
  const router = useRouter();
  useEffect(() => {
    const here = () => router.state.location.pathname;
    let held: Held | null = null;
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || target.closest(OVERLAYS)) return;
      const row = rowOf(target);
      held = row && { target, row, rows: rowsOfPage(), path: here() };
    };
    // A press beside everything lets go of it; what is removed loses it, too, in some engines.
    const onBlur = ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        const isLet = held?.target === target && held.target.isConnected && document.activeElement === document.body;
        if (isLet) held = null;
      });
    // No event tells that the focus went with a removed element: engines put it on the whole document, where a screen reader starts over.
    const onChange = () => {
      if (!held || held.target.isConnected || document.activeElement !== document.body) return;
      const gone = held;
      held = null;
      if (gone.path === here()) nearest(gone)?.focus({ preventScroll: true });
    };
    const changes = new MutationObserver(onChange);
    changes.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", onBlur);
    return () => {
      changes.disconnect();
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", onBlur);
    };
  }, [router]);
}
