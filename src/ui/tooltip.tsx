import { Tooltip as Radix } from "radix-ui";
import { cloneElement, isValidElement, type ReactElement, type ReactNode } from "react";
import type { TipSide } from "./tips";

export const TooltipProvider = Radix.Provider;

/**
 * A tooltip on hover and focus; the child must be focusable to be reachable by keyboard. Plain text is an attribute that the
 * window's single `Tips` shows: a list of a hundred rows has hundreds of tooltips, and shows one.
 */
export function Tooltip({
  content,
  children,
  side = "bottom",
}: {
  content: ReactNode;
  children: ReactNode;
  side?: TipSide;
}) {
  if (typeof content === "string" && isValidElement(children)) {
    return cloneElement(children as ReactElement<Record<string, unknown>>, {
      "data-tip": content,
      "data-tip-side": side,
    });
  }
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={5}
          collisionPadding={8}
          className="pop z-70 max-w-80 rounded-lg border border-line-strong bg-panel px-2.5 py-1.5 text-xs text-text shadow-pop"
        >
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
