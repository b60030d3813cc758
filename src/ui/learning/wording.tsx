import { cn } from "@/lib/cn";

/** Text with everything between backticks as code. A single backtick is just a backtick. */
export function Wording({ text, className }: { text: string; className?: string }) {
  return (
    <p className={cn("selectable wrap-anywhere", className)}>
      {text.split(/(`[^`\n]+`)/).map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text; they may repeat.
          <code key={at} className="rounded-[3px] bg-raised px-1 font-mono text-[0.92em]">
            {part.slice(1, -1)}
          </code>
        ),
      )}
    </p>
  );
}
