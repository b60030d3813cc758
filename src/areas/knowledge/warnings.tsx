import type { GateStanding, GateWarning } from "@/ipc";
import { commands } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { moment, percent } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { GateParts, gateWords } from "@/ui/learning/gate";
import { LearningMeta } from "@/ui/learning/learning-row";

/** Learnings that the quality gate finds too vague, until a person decides. */
export function Warnings({ warnings }: { warnings: GateWarning[] }) {
  return (
    <ul aria-label="Gate warnings" className="border-t border-line">
      {warnings.map((warning) => (
        <li key={warning.learning.id}>
          <Warning warning={warning} />
        </li>
      ))}
    </ul>
  );
}

function Warning({ warning: { learning, verdict } }: { warning: GateWarning }) {
  const now = useNow(60_000);
  const decide = useCommand(async (kept: boolean) => {
    await commands.decideGate(learning.id, kept);
    tellDone(done(kept, verdict.refused), () => commands.reopenWarning(learning.id));
  });
  return (
    <article className="grid grid-cols-[minmax(0,1fr)_15rem_auto] items-start gap-4 border-b border-line px-6 py-2.5 hover:bg-hover">
      <div className="min-w-0">
        <p className="selectable wrap-anywhere">{learning.text}</p>
        <LearningMeta learning={learning} now={now} showFeature />
        <p className="mt-0.5 text-xs text-warn">
          {verdict.refused ? "Refused: " : ""}
          {gateWords(verdict.report)}
        </p>
      </div>
      {/* A text that is no lesson at all is rejected whatever the scores of its parts. */}
      {verdict.report.faults.length === 0 ? <GateParts report={verdict.report} /> : <span />}
      <div className="flex gap-2">
        <Button disabled={decide.isPending} onClick={() => decide.mutate(true)}>
          {verdict.refused ? "Bring back" : "Keep"}
        </Button>
        <Button disabled={decide.isPending} onClick={() => decide.mutate(false)}>
          {verdict.refused ? "Leave out" : "Put away"}
        </Button>
      </div>
    </article>
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
