import type { ButtonHTMLAttributes, Ref } from "react";
import { cn } from "@/lib/cn";

type Look = { look?: "primary" | "plain" | "ghost" | "danger"; size?: "sm" | "md" | "icon" };

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  Look & {
    ref?: Ref<HTMLButtonElement>;
    /** Why it can't be pressed now; its tooltip says so. Where the reason stands beside the button, `disabled` is enough. */
    lacks?: string;
  };

const looks = {
  primary: "bg-accent text-accent-ink border-transparent not-aria-disabled:hover:brightness-110 font-medium",
  plain: "bg-panel border-line-strong not-aria-disabled:hover:bg-raised",
  ghost: "border-transparent text-dim not-aria-disabled:hover:bg-raised not-aria-disabled:hover:text-text",
  danger: "bg-panel border-line-strong text-bad not-aria-disabled:hover:bg-bad-soft",
};
const sizes = { sm: "h-6 px-2 text-xs gap-1", md: "h-7 px-2.5 text-sm gap-1.5", icon: "size-7 justify-center" };

/** The classes of a button, for a link that looks like one. */
export function buttonLook({ look = "plain", size = "md" }: Look = {}): string {
  return cn(
    "inline-flex shrink-0 items-center rounded-md border whitespace-nowrap transition-colors disabled:pointer-events-none disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-50",
    looks[look],
    sizes[size],
  );
}

/** The button that was pressed last, and what it said then. */
let pressed: { button: EventTarget; does: string } | null = null;

/** What a button does, by its name: how many more rows it shows may change from press to press. */
const nameOf = (button: HTMLButtonElement) =>
  (button.getAttribute("aria-label") ?? button.textContent ?? "").replace(/\d+/g, "");

/**
 * A button that can't be pressed now is told so by `aria-disabled`: a disabled one takes neither the pointer nor the focus, so that nobody
 * would see its tooltip, and whoever pressed it would lose their place while it works.
 */
export function Button({ look, size, className, type = "button", disabled, lacks, onClick, ...rest }: ButtonProps) {
  const isOff = disabled || lacks !== undefined;
  return (
    <button
      type={type}
      className={cn(buttonLook({ look, size }), className)}
      aria-disabled={isOff || undefined}
      onClick={(event) => {
        if (isOff) {
          // Nor does it send its form.
          event.preventDefault();
          return;
        }
        const button = event.currentTarget;
        const does = nameOf(button);
        const isSame = pressed?.button === button && pressed.does === does;
        pressed = { button, does };
        // The second click of a double click lands on what took the button's place: another row's button, or the undo. That may be
        // the same element with another name.
        if (event.detail > 1 && !isSame) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
      {...(lacks !== undefined && { "data-tip": lacks, title: undefined })}
    />
  );
}
