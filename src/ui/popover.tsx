import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";

export const Popover = Radix.Root;
export const PopoverTrigger = Radix.Trigger;
export const PopoverClose = Radix.Close;

export function PopoverContent({
  children,
  label,
  side = "bottom",
  align = "start",
  focusFirst,
}: {
  children: ReactNode;
  label: string;
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "end";
  /** Selects the initial focus; otherwise the first control gets it. */
  focusFirst?: string;
}) {
  return (
    <Radix.Portal>
      <Radix.Content
        aria-label={label}
        side={side}
        align={align}
        sideOffset={6}
        collisionPadding={8}
        onOpenAutoFocus={(event) => {
          const first =
            focusFirst && (event.currentTarget as HTMLElement | null)?.querySelector<HTMLElement>(focusFirst);
          if (!first) return;
          event.preventDefault();
          first.focus();
        }}
        className="pop z-50 max-h-[min(70vh,var(--radix-popover-content-available-height))] w-96 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-xl border border-line-strong bg-panel shadow-pop outline-none"
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  );
}
