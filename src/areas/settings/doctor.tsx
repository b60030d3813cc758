import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, RotateCw, TriangleAlert } from "lucide-react";
import { type DoctorStatus, queries } from "@/ipc";
import { Button } from "@/ui/button";
import { Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { Said } from "@/ui/said";
import { LongText } from "@/ui/state";

const look = {
  ok: [CircleCheck, "text-ok", "Fine"],
  warning: [TriangleAlert, "text-warn", "Warning"],
  error: [CircleAlert, "text-bad", "Error"],
} as const satisfies Record<DoctorStatus, unknown>;

/** The agents found, and the health of the stored data. */
export function Doctor() {
  const report = useQuery(queries.doctor());
  return (
    <Section
      title="Health"
      note={
        <Button look="ghost" size="sm" disabled={report.isFetching} onClick={() => void report.refetch()}>
          <RotateCw size={12} aria-hidden="true" /> {report.isFetching ? "Looking…" : "Look again"}
        </Button>
      }
    >
      <Result of={report}>
        {({ checks }) => (
          <ul className="flex flex-col gap-2">
            {checks.map((check) => {
              const [Icon, colour, word] = look[check.status];
              return (
                <li key={check.name} className="flex gap-2">
                  <Icon size={14} className={`mt-0.75 shrink-0 ${colour}`} role="img" aria-label={word} />
                  <div className="selectable min-w-0">
                    <p className="font-medium">{check.name}</p>
                    <LongText text={check.detail} className="text-xs text-dim" />
                    {check.hint && (
                      <p className="text-xs wrap-anywhere text-warn">
                        <Said text={check.hint} />
                      </p>
                    )}
                  </div>
                </li>
              );
            })}
          </ul>
        )}
      </Result>
    </Section>
  );
}
