import { Check, Minus } from "lucide-react";
import { cn } from "@/lib/cn";

/** A box to tick. A button with the role: every row of a long list has one, and most of what Radix adds is for forms that are posted. */
export function Checkbox({
  checked,
  onChange,
  label,
  className,
}: {
  checked: boolean | "indeterminate";
  onChange: (on: boolean) => void;
  label: string;
  className?: string;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: an input shows no mark of ours.
    <button
      type="button"
      role="checkbox"
      aria-label={label}
      aria-checked={checked === "indeterminate" ? "mixed" : checked}
      onClick={(event) => {
        event.stopPropagation();
        onChange(checked !== true);
      }}
      // Space ticks a box, Enter does not.
      onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      className={cn(
        "flex size-3.75 shrink-0 items-center justify-center rounded-[4px] border border-line-strong bg-bg aria-[checked=mixed]:border-accent aria-checked:border-accent aria-checked:bg-accent",
        className,
      )}
    >
      {checked === "indeterminate" && <Minus size={11} strokeWidth={3} className="text-accent" aria-hidden="true" />}
      {checked === true && <Check size={11} strokeWidth={3.5} className="text-accent-ink" aria-hidden="true" />}
    </button>
  );
}
