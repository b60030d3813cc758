import { NOT_LOOKED_AT, type TrustItem } from "@/ipc";
import { cn } from "@/lib/cn";
import { Dot } from "./badge";
import { Harmless } from "./diff/code";

/**
 * Trust items, each with its exact value and its effect, and what is left out of them. An invisible character is named: nobody should agree
 * to what they can't read.
 */
export function TrustItems({ items }: { items: TrustItem[] }) {
  return (
    <>
      <ul aria-label="What the folder brings along" className="flex flex-col gap-3">
        {items.map((item) => (
          <li key={item.name} className="min-w-0">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <Dot tone={item.agreed ? "ok" : "warn"} />
              <span className="font-mono text-xs font-medium">
                <Harmless text={item.name} />
              </span>
              <span className="text-dim">{item.effect}</span>
            </p>
            <pre className="selectable mt-1 max-h-48 overflow-auto rounded-md border border-line bg-bg px-3 py-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
              <Lines text={item.diff ?? item.value} compared={item.diff !== null} />
            </pre>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-xs text-faint">{NOT_LOOKED_AT}</p>
    </>
  );
}

function Lines({ text, compared }: { text: string; compared: boolean }) {
  return text.split("\n").map((line, at) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fixed text.
      key={at}
      className={cn(
        "block min-h-4",
        compared && line.startsWith("+") && "text-ok",
        compared && line.startsWith("-") && "text-bad",
      )}
    >
      <Harmless text={line} />
    </span>
  ));
}
