import { type ReactNode, useEffect, useRef } from "react";
import { cn } from "@/lib/cn";

/** Pixels between a field and the bar. */
const GAP = 12;

/**
 * What a long form does, at the bottom of the page wherever one is in it. A field that the keyboard leads to comes to lie above it: by
 * itself the page scrolls no further than to its lower edge, below the bar.
 */
export function FormBar({ className, children }: { className: string; children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const form = bar.current?.closest("form");
    const uncover = ({ target }: FocusEvent) => {
      if (!bar.current || !(target instanceof Element) || bar.current.contains(target)) return;
      // The press of a pointer would end on something else.
      if (!target.matches(":focus-visible")) return;
      const covered = target.getBoundingClientRect().bottom - bar.current.getBoundingClientRect().top;
      if (covered > 0) target.closest("[data-scroller], [role=tabpanel]")?.scrollBy({ top: covered + GAP });
    };
    form?.addEventListener("focusin", uncover);
    return () => form?.removeEventListener("focusin", uncover);
  }, []);
  return (
    <div ref={bar} className={cn("sticky bottom-0", className)}>
      {children}
    </div>
  );
}
