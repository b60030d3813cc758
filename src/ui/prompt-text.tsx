import { cn } from "@/lib/cn";
import { promptBlocks } from "@/lib/knowledge/prompt-blocks";
import { Badge } from "./badge";

/** The exact text of a prompt, with the parts from memory marked. */
export function PromptText({ prompt }: { prompt: string }) {
  return (
    <div className="flex flex-col gap-2">
      {promptBlocks(prompt).map(({ memory, text }, index) => (
        <section
          // biome-ignore lint/suspicious/noArrayIndexKey: a prompt never changes.
          key={index}
          aria-label={memory ?? undefined}
          className={cn(memory && "relative rounded-r-lg border-l-2 border-accent bg-accent-soft/60 py-2 pr-3 pl-3")}
        >
          {memory && (
            <Badge tone="accent" className="absolute top-2 right-2">
              from memory
            </Badge>
          )}
          <Words text={text.replace(/\n+$/, "")} />
        </section>
      ))}
    </div>
  );
}

function Words({ text }: { text: string }) {
  return (
    <pre className="font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
      {text
        .split("\n")
        .map((line, number) => ({ line, number }))
        .map(({ line, number }) => (
          <span
            key={number}
            className={/^(#+ |<\/?[a-z][a-z-]*>)/.test(line) ? "font-semibold text-accent" : undefined}
          >
            {line}
            {"\n"}
          </span>
        ))}
    </pre>
  );
}
