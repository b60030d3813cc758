import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { isTyping } from "@/lib/hooks";

export type Overlay = "palette" | "keys" | null;

const GO = {
  f: "/features",
  t: "/tasks",
  l: "/loop",
  k: "/knowledge",
  i: "/insights",
  r: "/review",
  s: "/settings",
} as const;
/** Milliseconds in which the second key of `g f` must follow. */
const CHORD_MILLIS = 1200;

/** The keys that work on every page. */
export function useGlobalKeys() {
  const navigate = useNavigate();
  const [overlay, setOverlay] = useState<Overlay>(null);
  const chord = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOverlay((shown) => (shown === "palette" ? null : "palette"));
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const inChord = Date.now() - chord.current < CHORD_MILLIS;
      chord.current = 0;
      if (inChord && event.key in GO) {
        event.preventDefault();
        // The second key of a chord is none of the page's.
        event.stopImmediatePropagation();
        void navigate({ to: GO[event.key as keyof typeof GO] });
      } else if (event.key === "g") {
        chord.current = Date.now();
      } else if (event.key === "?") {
        setOverlay("keys");
      } else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLInputElement>("main [data-search]")?.focus();
      }
    };
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, [navigate]);
  return { overlay, setOverlay };
}
