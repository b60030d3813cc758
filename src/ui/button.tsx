import type { ButtonHTMLAttributes, Ref } from "react";
import { cn } from "@/lib/cn";

type Look = { look?: "primary" | "plain" | "ghost" | "danger"; size?: "sm" | "md" | "icon" };

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & Look & { ref?: Ref<HTMLButtonElement> };

const looks = {
  primary: "bg-accent text-accent-ink border-transparent hover:brightness-110 font-medium",
  plain: "bg-panel border-line-strong hover:bg-raised",
  ghost: "border-transparent text-dim hover:bg-raised hover:text-text",
  danger: "bg-panel border-line-strong text-bad hover:bg-bad-soft",
};
const sizes = { sm: "h-6 px-2 text-xs gap-1", md: "h-7 px-2.5 text-sm gap-1.5", icon: "size-7 justify-center" };

/** The classes of a button, for a link that looks like one. */
export function buttonLook({ look = "plain", size = "md" }: Look = {}): string {
  return cn(
    "inline-flex shrink-0 items-center rounded-md border whitespace-nowrap transition-colors disabled:pointer-events-none disabled:opacity-50",
    looks[look],
    sizes[size],
  );
}

/** The button that was pressed last, and what it said then. */
let pressed: { button: EventTarget; does: string } | null = null;

/** What a button does, by its name: how many more rows it shows may change from press to press. */
const nameOf = (button: HTMLButtonElement) =>
  (button.getAttribute("aria-label") ?? button.textContent ?? "").replace(/\d+/g, "");

export function Button({ look, size, className, type = "button", onClick, ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={cn(buttonLook({ look, size }), className)}
      onClick={(event) => {
        const button = event.currentTarget;
        const does = nameOf(button);
        const isSame = pressed?.button === button && pressed.does === does;
        pressed = { button, does };
        // The second press of a double click falls on what took the button's place: another row's button, or the undo. That may be
        // the same element with another name.
        if (event.detail > 1 && !isSame) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    />
  );
}
