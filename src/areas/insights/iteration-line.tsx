import { Link } from "@tanstack/react-router";
import type { IterationRow } from "@/ipc";
import { cn } from "@/lib/cn";
import { ago, duration, firstLine, moment } from "@/lib/format";
import { categoryWord, difficultyWord, outcomeTone, outcomeWord, strategyWord } from "@/lib/words";
import { Badge, toneText } from "@/ui/badge";
import { IterationSaturation } from "@/ui/chart/iteration-saturation";
import { CostOf } from "@/ui/cost";

/** What gives way to the task's name in a narrow window; the iteration's page shows it. */
const roomy = "max-[700px]:hidden";

/** One iteration in two lines, linked to its page. */
export function IterationLine({ row: { iteration, strategy, failure }, now }: { row: IterationRow; now: number }) {
  const { outcome, usage, evidence, started, ended } = iteration;
  const said = failure?.why_it_failed ?? iteration.note ?? evidence.commits[0] ?? iteration.rationale;
  return (
    <Link
      to="/loop/$run/$iteration"
      params={{ run: String(iteration.run), iteration: String(iteration.id) }}
      data-row
      data-testid="iteration"
      data-outcome={outcome}
      className="num block border-b border-line px-6 py-2 hover:bg-hover"
    >
      <span className="flex items-center gap-3 whitespace-nowrap">
        <span className={cn("w-22 shrink-0", toneText[outcomeTone[outcome]])}>{outcomeWord[outcome]}</span>
        <span className="min-w-0 flex-1 truncate font-medium">
          #{iteration.task} {iteration.task_title}
        </span>
        <span className={cn("w-24 truncate text-right text-dim", roomy)}>{iteration.model}</span>
        <span className="w-28 truncate text-right text-faint max-[1180px]:hidden">{strategyWord[strategy]}</span>
        <span className={cn("min-w-18 text-right text-dim", roomy)}>
          <CostOf usage={usage} />
        </span>
        <span className={cn("w-16 text-right text-dim", roomy)}>
          {duration((ended ? Date.parse(ended) : now) - Date.parse(started))}
        </span>
        <span className="w-20 text-right text-faint" title={moment(started)}>
          {ago(started, now)}
        </span>
      </span>
      {/* The title has the first line for itself: its marks stand before what is said of it. */}
      <span className="flex items-center gap-x-3 text-xs max-[480px]:flex-wrap">
        <span className="w-22 shrink-0 text-faint">
          {iteration.attempt === null ? "no attempt" : `attempt ${iteration.attempt}`}
        </span>
        <span className={cn("flex shrink-0 gap-1.5 empty:hidden", roomy)}>
          {failure && <Badge tone="bad">{categoryWord[failure.category]}</Badge>}
          {iteration.held_out && <Badge tone="warn">held out</Badge>}
          {iteration.difficulty && <Badge>{difficultyWord[iteration.difficulty]}</Badge>}
        </span>
        <span className="min-w-0 truncate text-dim">{said && firstLine(said)}</span>
        <span className="ml-auto shrink-0">
          <IterationSaturation iteration={iteration} link={false} />
        </span>
      </span>
    </Link>
  );
}
