import type { UseQueryResult } from "@tanstack/react-query";
import { Check, Minus } from "lucide-react";
import type { IterationDetail } from "@/ipc";
import { cn } from "@/lib/cn";
import { idsIn, useLearningsById, WithNames } from "@/ui/learning/with-names";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";

/** Each hook and its decision. */
export function Hooks({ detail }: { detail: UseQueryResult<IterationDetail> }) {
  const known = useLearningsById((detail.data?.hooks ?? []).flatMap(({ note }) => idsIn(note)));
  return (
    <Result of={detail}>
      {({ hooks }) =>
        hooks.length === 0 ? (
          <Empty title="No hook has decided yet">Hooks look at an iteration once it is over.</Empty>
        ) : (
          <ul className="px-6 py-2">
            {hooks.map(({ hook, applied, note }) => (
              <li
                key={hook}
                className={cn("flex gap-3 border-b border-line py-2 last:border-0", !applied && "text-faint")}
              >
                {applied ? (
                  <Check size={14} className="mt-0.75 shrink-0 text-ok" aria-label="Applied" />
                ) : (
                  <Minus size={14} className="mt-0.75 shrink-0" aria-label="Did not apply" />
                )}
                <span className="w-44 shrink-0 font-medium">{hook.replaceAll("_", " ")}</span>
                <span className={cn("selectable min-w-0 wrap-anywhere", applied && "text-dim")}>
                  <WithNames text={note} known={known} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Result>
  );
}
