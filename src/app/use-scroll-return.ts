/** Scrolls a page back to where the person left it, so that they can continue at one row among thousands. */
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** What scrolls on a page and keeps its place; a transcript follows its end. */
const KEEPING = "main :is([data-scroller], [data-list], [role=tabpanel])";
/** Entries of the history whose places are known. */
const KEPT = 50;
/** Milliseconds in which the rows may come that have to be there before. */
const PATIENCE = 3000;
/** What a person scrolls and works with: from then on the page is theirs. */
const SIGNS = ["wheel", "pointerdown", "keydown"] as const;

/** Pixels from the top, by the name of what scrolls. */
type Places = Map<string, number>;

const nameOf = (part: Element) => `${part.getAttribute("role") ?? ""} ${part.getAttribute("aria-label") ?? ""}`;

/** Scrolls those parts that are long enough by now, and returns the places of the others. */
function scrolled(goal: Places): Places {
  const left = new Map(goal);
  for (const part of document.querySelectorAll(KEEPING)) {
    const top = left.get(nameOf(part));
    if (top === undefined || part.scrollHeight - part.clientHeight < top) continue;
    part.scrollTop = top;
    left.delete(nameOf(part));
  }
  return left;
}

export function useScrollReturn(): void {
  const router = useRouter();
  useEffect(() => {
    const { history } = router;
    const known = new Map<string, Places>();
    let goal: Places | null = null;
    let frame = 0;
    const here = () => history.location.state.__TSR_key ?? history.location.href;
    const stop = () => {
      cancelAnimationFrame(frame);
      goal = null;
    };
    const onScroll = ({ target }: Event) => {
      if (goal || !(target instanceof Element) || !target.matches(KEEPING)) return;
      const places = known.get(here()) ?? new Map();
      known.delete(here());
      known.set(here(), places.set(nameOf(target), target.scrollTop));
      const [oldest] = known.keys();
      if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    };
    const onMove = () => {
      stop();
      goal = known.get(here()) ?? null;
      const end = performance.now() + PATIENCE;
      let isDrawn = false;
      const step = () => {
        // Until the frame after that the page that is left is still there.
        if (isDrawn) goal = goal && scrolled(goal);
        isDrawn = router.state.resolvedLocation?.state.__TSR_key === history.location.state.__TSR_key;
        if (!goal || goal.size === 0 || performance.now() > end) stop();
        else frame = requestAnimationFrame(step);
      };
      step();
    };
    const unsubscribe = history.subscribe(({ action: { type } }) => {
      if (type === "PUSH" || type === "REPLACE") stop();
      else onMove();
    });
    document.addEventListener("scroll", onScroll, { capture: true, passive: true });
    for (const sign of SIGNS) window.addEventListener(sign, stop, { capture: true, passive: true });
    return () => {
      stop();
      unsubscribe();
      document.removeEventListener("scroll", onScroll, { capture: true });
      for (const sign of SIGNS) window.removeEventListener(sign, stop, { capture: true });
    };
  }, [router]);
}
