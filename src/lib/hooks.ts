import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { startTransition, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { queries } from "@/ipc";
import { projectsOpened } from "./command";
import { shortcut } from "./keys";

/** The current time, updated every `everyMillis` while `live`. */
export function useNow(everyMillis: number, live = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!live) return;
    // A clock that was just read shows nothing new: every row that shows an age would be drawn twice.
    setNow((before) => (Date.now() - before < everyMillis ? before : Date.now()));
    const timer = setInterval(() => setNow(Date.now()), everyMillis);
    return () => clearInterval(timer);
  }, [everyMillis, live]);
  return now;
}

/** True once `active` has lasted 300 ms: shorter waits show nothing, so that nothing flickers. */
export function useSlow(active: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!active) {
      setSlow(false);
      return;
    }
    const timer = setTimeout(() => setSlow(true), 300);
    return () => clearTimeout(timer);
  }, [active]);
  return active && slow;
}

/**
 * Whether the person is still where they were when this was first drawn: on the same page of the same project, and on its same tab. Work
 * that ends later must not lead anybody away from another page, where they may be in the middle of a form.
 */
export function useStillHere(): () => boolean {
  const router = useRouter();
  const place = () => {
    const { pathname, search } = router.state.location;
    return `${projectsOpened()} ${pathname} ${"tab" in search ? search.tab : ""}`;
  };
  const [here] = useState(place);
  return () => place() === here;
}

/** Whether the first frame is drawn: what is below the fold of a long page is rendered after it. */
export function useDrawn(): boolean {
  const [drawn, setDrawn] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn(true)));
    return () => cancelAnimationFrame(frame);
  }, []);
  return drawn;
}

/** Whether a key press belongs to a field or an open dialog, and not to the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (
    document.querySelector(
      "[role=dialog][data-state=open], [role=menu][data-state=open], [role=listbox][data-state=open]",
    )
  )
    return true;
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable=true]") !== null;
}

/** Whether a media query holds, also after the window changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    () => window.matchMedia(query).matches,
  );
}

/** A one-key shortcut of the page. A key that is held acts once, unless it moves: the next thing that it would act on was not looked at. */
export function useKey(key: string, action: () => void, moves = false): void {
  const latest = useRef(action);
  latest.current = action;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (shortcut(event) !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      event.preventDefault();
      if (moves || !event.repeat) latest.current();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [key, moves]);
}

/** Whether something is newer than the person's last look, until they dismiss that. */
export function useIsNew(): (time: string | null) => boolean {
  const { data: since } = useQuery({ ...queries.sinceLook(), enabled: false });
  return (time) => !!since && time !== null && time > since.at;
}

const focused = () => (document.activeElement instanceof HTMLElement ? document.activeElement : null);

/** Returns the focus to its previous element after a dialog that was opened without a control of its own. */
export function useFocusReturn(open: boolean) {
  const before = useRef<HTMLElement | null>(null);
  const wasOpen = useRef(false);
  // While it is drawn for the first time: a field with `autoFocus` has the focus before any effect.
  if (open && !wasOpen.current) before.current = focused();
  wasOpen.current = open;
  return {
    onOpenAutoFocus: () => {
      // Only if none of its own fields has the focus yet; a menu that opened it has returned the focus by now.
      before.current = focused();
    },
    onCloseAutoFocus: (event: Event) => {
      if (!before.current?.isConnected) return;
      event.preventDefault();
      // Focusing a tab selects it: a person who was on another one returns to that.
      const tabs = before.current.closest<HTMLElement>("[role=tablist]");
      const chosen = tabs?.querySelector<HTMLElement>("[role=tab][aria-selected=true]");
      (chosen ?? before.current).focus();
    },
  };
}
