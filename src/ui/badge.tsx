import type { HTMLAttributes } from "react";
import { cn } from "@/lib/cn";
import { keyName } from "@/lib/platform";
import type { Tone } from "@/lib/words";

export const toneText: Record<Tone, string> = {
  neutral: "text-text",
  dim: "text-dim",
  ok: "text-ok",
  warn: "text-warn",
  high: "text-high",
  bad: "text-bad",
  accent: "text-accent",
};
const toneBox: Record<Tone, string> = {
  neutral: "border-line-strong text-dim",
  dim: "border-line text-faint",
  ok: "border-ok/40 text-ok",
  warn: "border-warn/45 text-warn",
  high: "border-high/45 text-high",
  bad: "border-bad/45 text-bad",
  accent: "border-accent/45 text-accent",
};

export function Badge({ tone = "neutral", className, ...rest }: HTMLAttributes<HTMLSpanElement> & { tone?: Tone }) {
  return (
    <span
      className={cn(
        "num inline-flex h-5 shrink-0 items-center gap-1 rounded-[5px] border px-1.5 text-2xs whitespace-nowrap",
        toneBox[tone],
        className,
      )}
      {...rest}
    />
  );
}

/** A dot for a state; `live` pulsates. */
export function Dot({ tone, live = false }: { tone: Tone; live?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={cn("inline-block size-1.75 shrink-0 rounded-full bg-current", toneText[tone], live && "pulse")}
    />
  );
}

/** Marks items that are newer than the person's last look. */
export function NewMark() {
  return (
    <span className="inline-flex h-4 items-center rounded-full bg-accent-soft px-1.5 text-2xs font-medium text-accent">
      new
    </span>
  );
}

/** A key as it is printed on the keyboard. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded border border-current/35 px-1 font-mono text-2xs">
      {keyName(children)}
    </kbd>
  );
}
