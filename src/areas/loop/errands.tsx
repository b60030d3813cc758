import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Square } from "lucide-react";
import { commands, type Errand, queries } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { ago, moment, span } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { rowKeys } from "@/lib/rows";
import { agentWord, errandStateTone, errandStateWord, errandWord } from "@/lib/words";
import { Dot, toneText } from "@/ui/badge";
import { Button } from "@/ui/button";
import { CostOf } from "@/ui/cost";
import { useFew } from "@/ui/few";
import { InCode } from "@/ui/said";

/** Agent runs without a task; hidden if there were none. */
export function Errands() {
  const { data: errands = [] } = useQuery(queries.errands());
  const now = useNow(
    1000,
    errands.some(({ ended }) => ended === null),
  );
  const [shown, more] = useFew(errands);
  if (errands.length === 0) return null;
  return (
    <section aria-labelledby="errands" className="pt-6">
      <h2 id="errands" className="mb-2 font-semibold">
        Errands <span className="text-xs font-normal text-faint">agents at work without a task of their own</span>
      </h2>
      <ul className="overflow-hidden rounded-lg border border-line" onKeyDown={rowKeys}>
        {shown.map((errand) => (
          <li
            key={errand.id}
            data-testid="errand"
            className="relative border-b border-line px-3 py-2 last:border-0 hover:bg-hover"
          >
            <Row errand={errand} now={now} />
          </li>
        ))}
      </ul>
      {more}
    </section>
  );
}

function Row({ errand, now }: { errand: Errand; now: number }) {
  const running = errand.ended === null;
  return (
    <>
      <div className="num flex items-center gap-3 whitespace-nowrap">
        <Link
          to="/loop/errands/$errand"
          params={{ errand: String(errand.id) }}
          data-row
          className="flex min-w-0 flex-1 items-center gap-2 font-medium after:absolute after:inset-0"
        >
          <Dot tone={errandStateTone[errand.state]} live={running} />
          <span className="truncate">
            {errandWord[errand.kind]}
            {errand.task !== null && <span className="font-normal text-dim"> for #{errand.task}</span>}
          </span>
        </Link>
        <span className={cn("w-14 text-right", toneText[errandStateTone[errand.state]])}>
          {errandStateWord[errand.state]}
        </span>
        <span className="w-20 text-right text-dim">
          <CostOf usage={errand.usage} />
        </span>
        <span className="w-14 text-right text-dim max-[1180px]:hidden">
          {span((errand.ended ? Date.parse(errand.ended) : now) - Date.parse(errand.started))}
        </span>
        <span className="flex w-20 justify-end text-faint" title={moment(errand.started)}>
          {running ? <StopErrand errand={errand} /> : ago(errand.started, now)}
        </span>
      </div>
      <p className="pl-4 text-xs wrap-anywhere text-faint">
        {errand.agent ? agentWord[errand.agent] : "no agent"}
        {errand.model && ` · ${errand.model}`}
        {errand.note && (
          <>
            {" "}
            · <InCode text={errand.note} />
          </>
        )}
      </p>
    </>
  );
}

export function StopErrand({ errand }: { errand: Errand }) {
  const stop = useCommand(() => commands.stopErrand(errand.id), {
    onDone: () => tellDone("The errand has been asked to stop"),
  });
  return (
    <Button
      look="danger"
      size="sm"
      className="relative z-10"
      aria-label={`Stop errand ${errand.id}`}
      disabled={stop.isPending || stop.isSuccess}
      onClick={() => stop.mutate(undefined)}
    >
      <Square size={11} aria-hidden="true" /> {stop.isSuccess ? "Stopping" : "Stop"}
    </Button>
  );
}
