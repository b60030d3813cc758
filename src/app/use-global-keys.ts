import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { dismissFault, undoLast } from "@/lib/command";
import { isTyping } from "@/lib/hooks";
import { shortcut } from "@/lib/keys";
import { onMac } from "@/lib/platform";
import { rowOf, rowsOfPage } from "@/lib/rows";
import { zoom } from "@/lib/zoom";

export type Overlay = "palette" | "keys" | null;

const GO = {
  f: "/features",
  t: "/tasks",
  l: "/loop",
  k: "/knowledge",
  i: "/insights",
  r: "/review",
  n: "/needs-you",
  s: "/settings",
} as const;
/** With Ctrl or ⌘, even while something is being typed. */
const ZOOM = { "+": "in", "=": "in", "-": "out", "0": "actual" } as const;
/** With Alt: steps in the history. */
const HISTORY: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
/** Milliseconds in which the second key of `g f` must follow. */
const CHORD_MILLIS = 1200;

/** Whether Option and an arrow move by a word in a text, as they do on a Mac. */
const movesByWord = (event: KeyboardEvent) => onMac() && isTyping(event);

/**
 * Whether a key belongs to an input method, as for Chinese, Japanese or Korean: Enter chooses a word there and Escape cancels it, and
 * neither sends or closes the form. In Safari only the code reveals the last key of a word.
 */
const isComposed = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229;

/**
 * Sends the form of a field, a choice or a box; a plain button does what it says. It is sent through its own button: while that
 * is disabled nothing is sent, and holding a key does not send it again.
 */
function sendForm(event: KeyboardEvent): void {
  const from = event.target as HTMLElement | null;
  if (from?.matches?.("button:not([role])") !== false) return;
  const send = from.closest("form")?.querySelector<HTMLButtonElement>("button[type=submit]");
  if (!send) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  send.click();
}

/** Whether a key moves from elsewhere on the page into its list: j and k from outside of rows, the arrow down from a search field. */
function leadsToRows(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = event.target as HTMLElement | null;
  if (event.key === "ArrowDown") return target?.matches?.("input[data-search]") === true;
  if (!["j", "k"].includes(shortcut(event))) return false;
  return !isTyping(event) && !target?.closest?.("[data-row]");
}

/** The row of a page that last had the focus, and its place, from which a person who comes back continues. */
type Left = { row: HTMLElement; at: number };

function focusRow(event: KeyboardEvent, left: Left | undefined): void {
  // A page that uses these keys in another way is marked as such.
  if (document.querySelector("main [data-own-keys]")) return;
  const rows = rowsOfPage();
  const isLost = document.activeElement === document.body;
  const last = left?.row.isConnected ? left.row : rows[Math.min(left?.at ?? 0, rows.length - 1)];
  const row = isLost ? last : rows[0];
  if (!row) return;
  event.preventDefault();
  row.focus();
}

/** Whether Tab would start over somewhere on the page, because the focused element is gone with its row, such as a settled notice. */
function isGone(event: KeyboardEvent, left: Left | undefined): boolean {
  const isPlain = event.key === "Tab" && !event.ctrlKey && !event.metaKey && !event.altKey;
  return isPlain && document.activeElement === document.body && left?.row.isConnected === false;
}

/** Pixels that an arrow key scrolls by. */
const LINE = 40;
/** What scrolls on a page. */
const SCROLLERS = "main :is([data-scroller], [data-list], [role=tabpanel], [role=log])";
const canScroll = ({ scrollHeight, clientHeight }: Element) => scrollHeight > clientHeight + 1;

/** How far a key scrolls what is `page` pixels high; null if it does not scroll. */
function scrollsBy({ key, shiftKey }: KeyboardEvent, page: number): number | null {
  const step = { ArrowDown: LINE, ArrowUp: -LINE, PageDown: page, PageUp: -page, " ": shiftKey ? -page : page }[key];
  return step ?? { Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY }[key] ?? null;
}

/**
 * Scrolls the page by a key that is pressed outside of what scrolls, such as after a click in the rail: the window itself never scrolls,
 * so that the engine would do nothing. A page with several parts scrolls the largest.
 */
function scrollPage(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const target = event.target as Element;
  const own = target.closest(SCROLLERS);
  if (own && canScroll(own)) return;
  if (event.key === " " && target.closest("a, button, summary, [role]")) return;
  if (event.key.startsWith("Arrow") && document.querySelector("main [data-own-keys]")) return;
  const size = (of: Element) => of.clientHeight * of.clientWidth;
  const [part] = [...document.querySelectorAll(SCROLLERS)].filter(canScroll).sort((a, b) => size(b) - size(a));
  const by = part && scrollsBy(event, part.clientHeight - LINE);
  if (!part || !by) return;
  event.preventDefault();
  part.scrollTop = Math.max(0, Math.min(part.scrollHeight, part.scrollTop + by));
}

/** The keys that work on every page. */
export function useGlobalKeys() {
  const navigate = useNavigate();
  const router = useRouter();
  const [overlay, setOverlay] = useState<Overlay>(null);
  const chord = useRef(0);
  const left = useRef(new Map<string, Left>());
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isComposed(event)) {
        event.stopImmediatePropagation();
        return;
      }
      const key = shortcut(event);
      if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "k") {
        event.preventDefault();
        setOverlay((shown) => (shown === "palette" ? null : "palette"));
        return;
      }
      if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "Enter") {
        sendForm(event);
        return;
      }
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key in ZOOM) {
        event.preventDefault();
        zoom(ZOOM[event.key as keyof typeof ZOOM]);
        return;
      }
      const way = event.altKey && !event.ctrlKey && !event.metaKey && !movesByWord(event) && HISTORY[event.key];
      if (way) {
        event.preventDefault();
        router.history.go(way);
        return;
      }
      if ((event.ctrlKey || event.metaKey) && key === "z" && !event.altKey && !isTyping(event)) {
        if (undoLast()) event.preventDefault();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const inChord = Date.now() - chord.current < CHORD_MILLIS;
      chord.current = 0;
      if (inChord && key in GO) {
        event.preventDefault();
        // The second key of a chord is not passed to the page.
        event.stopImmediatePropagation();
        void navigate({ to: GO[key as keyof typeof GO] });
      } else if (key === "g") {
        chord.current = Date.now();
      } else if (key === "?") {
        setOverlay("keys");
      } else if (key === "/") {
        event.preventDefault();
        document.querySelector<HTMLInputElement>("main [data-search]")?.focus();
      }
    };
    // After the page's own keys: only an unhandled key moves to the first row.
    const onRest = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const last = left.current.get(router.state.location.pathname);
      if (event.key === "Escape" && !isTyping(event)) dismissFault();
      else if (leadsToRows(event) || isGone(event, last)) focusRow(event, last);
      else scrollPage(event);
    };
    const onFocus = ({ target }: FocusEvent) => {
      const row = rowOf(target);
      if (row) left.current.set(router.state.location.pathname, { row, at: rowsOfPage().indexOf(row) });
    };
    window.addEventListener("keydown", onKey, true);
    document.addEventListener("keydown", onRest);
    document.addEventListener("focusin", onFocus);
    return () => {
      window.removeEventListener("keydown", onKey, true);
      document.removeEventListener("keydown", onRest);
      document.removeEventListener("focusin", onFocus);
    };
  }, [navigate, router]);
  return { overlay, setOverlay };
}
