import { Check, ChevronDown } from "lucide-react";
import { Select as Radix } from "radix-ui";
import { cn } from "@/lib/cn";

/** A choice of one of a few values. Radix rejects the empty string as a value, so "none" has a name of its own. */
const NONE = "\u0000none";

export type Option = { value: string; label: string };

export function Select({
  value,
  onChange,
  options,
  label,
  placeholder,
  id,
  className,
}: {
  value: string;
  onChange: (value: string) => void;
  options: Option[];
  label?: string;
  placeholder?: string;
  id?: string;
  className?: string;
}) {
  return (
    <Radix.Root
      value={value === "" && options.some((option) => option.value === "") ? NONE : value}
      onValueChange={(next) => onChange(next === NONE ? "" : next)}
    >
      <Radix.Trigger
        id={id}
        aria-label={label}
        className={cn(
          "inline-flex h-8 items-center justify-between gap-1.5 rounded-md border border-line-strong bg-bg px-2.5 text-sm whitespace-nowrap hover:bg-hover",
          className,
        )}
      >
        <span className="truncate">
          <Radix.Value placeholder={placeholder} />
        </span>
        <ChevronDown size={13} className="shrink-0 text-faint" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          className="pop z-60 max-h-80 min-w-(--radix-select-trigger-width) overflow-hidden rounded-lg border border-line-strong bg-panel shadow-pop"
        >
          <Radix.Viewport className="p-1">
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value === "" ? NONE : option.value}
                className="flex h-7 items-center justify-between gap-3 rounded-md px-2 text-sm outline-none data-highlighted:bg-raised"
              >
                <Radix.ItemText>{option.label}</Radix.ItemText>
                <Radix.ItemIndicator>
                  <Check size={13} className="text-accent" />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
