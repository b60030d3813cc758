import type { CheckResult } from "@/ipc";
import { cn } from "@/lib/cn";
import { Dot } from "@/ui/badge";

/** The result of the check with the end of its output, where the reason for a failure is. */
export function CheckLine({ check, open = !check.passed }: { check: CheckResult; open?: boolean }) {
  return (
    <details className="shrink-0 border-b border-line px-6 py-2" open={open}>
      <summary className="flex items-center gap-2">
        <Dot tone={check.passed ? "ok" : "bad"} />
        <span className="font-mono text-xs">{check.command}</span>
        <span className={cn("num ml-auto", check.passed ? "text-ok" : "text-bad")}>
          {check.passed ? "passed" : check.exit_code === null ? "did not end" : `failed with ${check.exit_code}`}
        </span>
      </summary>
      <pre className="mt-2 max-h-52 overflow-auto font-mono text-xs whitespace-pre-wrap wrap-anywhere text-dim">
        {check.output_tail || "(no output)"}
      </pre>
    </details>
  );
}
