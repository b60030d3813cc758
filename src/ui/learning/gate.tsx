import type { GateReport } from "@/ipc";
import { reached } from "@/lib/format";
import { gateFaultWord, gatePartWord } from "@/lib/knowledge/knowledge-words";

/** The reasons for the gate's warning, in words. */
export function gateWords({ faults, density, threshold }: GateReport): string {
  if (faults.length > 0) return faults.map((fault) => gateFaultWord[fault]).join(", ");
  return `quality ${reached(density, 2)}; a lesson needs ${(threshold ?? 0).toFixed(2)}`;
}

/** The score of a learning by parts: the track shows a part's weight, the solid bar its score. */
export function GateParts({ report }: { report: GateReport }) {
  const heaviest = Math.max(...report.parts.map(({ weight }) => weight ?? 0), Number.EPSILON);
  return (
    <ul aria-label="What its quality is made of" className="flex flex-col gap-0.5 text-2xs text-faint">
      {report.parts.map(({ part, score, weight }) => (
        <li key={part} className="grid grid-cols-[minmax(0,1fr)_4rem] items-center gap-2">
          <span className="truncate">{gatePartWord[part]}</span>
          <span
            role="img"
            aria-label={`${((score ?? 0) * (weight ?? 0)).toFixed(2)} of ${(weight ?? 0).toFixed(2)}`}
            className="h-1 overflow-hidden rounded-full bg-raised"
            style={{ width: `${((weight ?? 0) / heaviest) * 100}%` }}
          >
            <span className="block h-full rounded-full bg-low" style={{ width: `${(score ?? 0) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}
