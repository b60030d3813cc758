import { type ReactNode, useEffect, useRef } from "react";
import { cn } from "@/lib/cn";

/** Pixels between a field and the bar. */
const GAP = 12;

/**
 * The actions of a long form, at the bottom of the page wherever the person is in it. A field that gets the focus by keyboard is scrolled
 * above the bar: by itself the page would scroll it only into the part that the bar covers.
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
