import type { FeatureLearning, LearningQuality } from "@/ipc";
import { percent, reached } from "@/lib/format";
import { Tooltip } from "@/ui/tooltip";
import { GateParts, gateWords } from "./gate";

/** The verdicts on a learning: its signal density, and its relation to known ones. */
export function Quality({
  of: { gate, reconciliation },
  textOf,
}: {
  of: LearningQuality;
  /** The learning it was compared with, if available. */
  textOf: (id: string) => FeatureLearning | undefined;
}) {
  const related = reconciliation?.verdict === "related" && reconciliation.other !== null;
  if (!gate && reconciliation !== null && !related) return null;
  const dot = gate && (
    <span aria-hidden="true" className="mr-1.25">
      ·
    </span>
  );
  return (
    <span className="inline-flex flex-wrap gap-x-1.25">
      {gate && (
        <Tooltip
          content={
            <div className="flex w-56 flex-col gap-1.5">
              <p>{gate.report.passed ? "What it says, part by part" : `The gate warned: ${gateWords(gate.report)}`}</p>
              <GateParts report={gate.report} />
              {gate.kept !== null && (
                <p className="text-dim">{gate.kept ? "A person kept it." : "A person put it away."}</p>
              )}
            </div>
          }
        >
          <button type="button" className={gate.report.passed || gate.kept ? undefined : "text-warn"}>
            quality {reached(gate.report.density, 2)}
          </button>
        </Tooltip>
      )}
      {reconciliation === null ? (
        <Tooltip content="It is stored and told; its comparison by meaning with what is known follows within seconds.">
          <button type="button">{dot}not compared yet</button>
        </Tooltip>
      ) : (
        reconciliation.verdict === "related" &&
        reconciliation.other !== null && (
          <Tooltip
            content={
              <>
                <p className="text-dim">{percent(reconciliation.similarity)} alike, both kept:</p>
                <p className="wrap-anywhere">{textOf(reconciliation.other)?.text ?? reconciliation.other}</p>
              </>
            }
          >
            <button type="button">{dot}related</button>
          </Tooltip>
        )
      )}
    </span>
  );
}
