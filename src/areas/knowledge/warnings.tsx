import { commands, type GateStanding, type GateWarning } from "@/ipc";
import { tellDone } from "@/lib/command";
import { moment, percent } from "@/lib/format";
import { DecideList, DecideRow } from "@/ui/learning/decide-list";
import { GateParts, gateWords } from "@/ui/learning/gate";

/** Learnings that the quality gate finds too vague, until a person decides. */
export function Warnings({ warnings }: { warnings: GateWarning[] }) {
  return (
    <DecideList label="Gate warnings" all={warnings}>
      {({ learning, verdict: { refused, report } }) => (
        <DecideRow
          learning={learning}
          why={`${refused ? "Refused: " : ""}${gateWords(report)}`}
          // A text that is not a lesson at all is rejected whatever the scores of its parts.
          beside={report.faults.length === 0 ? <GateParts report={report} /> : <span />}
          keep={refused ? "Bring back" : "Keep"}
          drop={refused ? "Leave out" : "Put away"}
          decide={async (kept) => {
            await commands.decideGate(learning.id, kept);
            tellDone(done(kept, refused), () => commands.reopenWarning(learning.id));
          }}
        />
      )}
    </DecideList>
  );
}

function done(kept: boolean, refused: boolean): string {
  if (kept) return `${refused ? "Brought back" : "Kept"}; it counts as a false alarm of the gate`;
  return refused ? "It stays out" : "Put away";
}

/** The state of the gate, with its statistics. */
export function GateNote({ gate }: { gate: GateStanding }) {
  const { successes: flagged, trials: judged } = gate.flagged;
  const { successes: wrong, trials: decided } = gate.false_rejections;
  const from = gate.enforces_from ? moment(gate.enforces_from) : null;
  const mode = gate.enforcing
    ? "The gate refuses what it warns of"
    : gate.mode === "enforce"
      ? `The gate warns only until ${from ?? "two weeks of verdicts are recorded"}`
      : "The gate warns only";
  return (
    <>
      {mode} · flagged {flagged} of {judged}
      {judged > 0 && ` (${percent(flagged / judged)})`} ·{" "}
      {decided > 0 ? `false alarm in ${wrong} of ${decided} that you decided` : "none decided yet"}
    </>
  );
}
