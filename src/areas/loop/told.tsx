import type { UseQueryResult } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import type { IterationDetail } from "@/ipc";
import { tellDone, tellFault } from "@/lib/command";
import { Button } from "@/ui/button";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";

/** The exact prompt. */
export function Told({ detail }: { detail: UseQueryResult<IterationDetail> }) {
  return (
    <Result of={detail}>
      {({ prompt }) =>
        prompt === "" ? (
          <Empty title="The prompt's file is gone" />
        ) : (
          <div className="relative">
            <Button
              size="sm"
              className="absolute top-3 right-5"
              onClick={() => void navigator.clipboard.writeText(prompt).then(() => tellDone("Copied"), tellFault)}
            >
              <Copy size={12} aria-hidden="true" /> Copy
            </Button>
            <pre className="px-5 py-4 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
              {prompt
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
          </div>
        )
      }
    </Result>
  );
}
