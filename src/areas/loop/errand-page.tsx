import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type Errand, queries } from "@/ipc";
import { moment, span } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { agentWord, errandStateTone, errandStateWord, errandWord } from "@/lib/words";
import { Badge } from "@/ui/badge";
import { CostOf } from "@/ui/cost";
import { Crumbs } from "@/ui/crumbs";
import { FactLine } from "@/ui/fact-line";
import { PageResult } from "@/ui/query";
import { StopErrand } from "./errands";
import { Live } from "./live";

const route = getRouteApi("/loop/errands/$errand");

/** One errand: its purpose, its answer, and its transcript. */
export function ErrandPage() {
  const id = Number(route.useParams().errand);
  const errand = useQuery(queries.errand(id));
  return (
    <PageResult of={errand} title={`Errand ${id}`} up={<Link to="/loop">Loop</Link>}>
      {/* That one was asked to stop says nothing about the next. */}
      {(one) => <Detail key={one.id} errand={one} />}
    </PageResult>
  );
}

function Detail({ errand }: { errand: Errand }) {
  const running = errand.ended === null;
  const now = useNow(1000, running);
  return (
    // With large text the header alone may be as high as the window: then the page scrolls, and the transcript keeps a height.
    <div className="flex h-full min-h-0 flex-col overflow-x-hidden overflow-y-auto">
      <header className="shrink-0 border-b border-line px-6 pt-3 pb-3">
        <Crumbs>
          <Link to="/loop" className="hover:text-text">
            Loop
          </Link>
          <ChevronRight size={11} aria-hidden="true" /> Errands
        </Crumbs>
        <div className="flex items-center gap-3">
          <h1 className="text-lg font-semibold tracking-tight">
            {errandWord[errand.kind]}
            {errand.task !== null && (
              <Link
                to="/tasks/$id"
                params={{ id: String(errand.task) }}
                className="num ml-2 font-normal text-dim hover:text-text"
              >
                #{errand.task}
              </Link>
            )}
          </h1>
          <Badge tone={errandStateTone[errand.state]}>{errandStateWord[errand.state]}</Badge>
          <span className="ml-auto">{running && <StopErrand errand={errand} />}</span>
        </div>
        <FactLine className="mt-1">
          <span>
            {errand.agent ? agentWord[errand.agent] : "no agent"}
            {errand.model && `, ${errand.model}`}
          </span>
          <CostOf usage={errand.usage} />
          <span>{span((errand.ended ? Date.parse(errand.ended) : now) - Date.parse(errand.started))}</span>
          <span>began {moment(errand.started)}</span>
          <span className="font-mono wrap-anywhere">{errand.folder}</span>
        </FactLine>
        {errand.note && (
          <p className="selectable mt-1.5 max-h-40 overflow-y-auto text-dim whitespace-pre-wrap wrap-anywhere">
            {errand.note}
          </p>
        )}
        {!running && errand.answer !== "" && (
          <p className="selectable mt-2 max-h-40 max-w-4xl overflow-y-auto rounded-lg border border-line bg-panel px-3 py-2 whitespace-pre-wrap wrap-anywhere">
            {errand.answer}
          </p>
        )}
      </header>
      <div className="flex min-h-56 flex-1 flex-col">
        <Live key={errand.id} of={{ errand: errand.id }} />
      </div>
    </div>
  );
}
