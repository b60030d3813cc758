import { Check, Minus } from "lucide-react";
import { Checkbox as Radix } from "radix-ui";
import { cn } from "@/lib/cn";

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
    <Radix.Root
      aria-label={label}
      checked={checked}
      onCheckedChange={(next) => onChange(next === true)}
      onClick={(event) => event.stopPropagation()}
      className={cn(
        "flex size-3.75 shrink-0 items-center justify-center rounded-[4px] border border-line-strong bg-bg data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent",
        className,
      )}
    >
      <Radix.Indicator>
        {checked === "indeterminate" ? (
          <Minus size={11} strokeWidth={3} className="text-accent" />
        ) : (
          <Check size={11} strokeWidth={3.5} className="text-accent-ink" />
        )}
      </Radix.Indicator>
    </Radix.Root>
  );
}
