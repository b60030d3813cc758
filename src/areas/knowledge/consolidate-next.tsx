import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BookMarked, Plus } from "lucide-react";
import { type ConsolidationView, queries } from "@/ipc";
import { count } from "@/lib/format";
import { primaryStep } from "@/ui/next-step";
import { Empty } from "@/ui/state";

/** No learnings at all: where they come from, and where to add one. */
export function NoLearnings({ freshDays, feature }: { freshDays: number; feature: string | undefined }) {
  const place = `inline-flex h-7 items-center gap-1.5 rounded-md px-2.5 ${primaryStep}`;
  const { data: features } = useQuery(queries.features());
  // A learning belongs to a feature, so without one that comes first.
  const name = feature ?? features?.[0]?.feature.name;
  return (
    <Empty
      icon={BookMarked}
      title="Nothing to consolidate"
      action={
        features !== undefined &&
        (name === undefined ? (
          <Link to="/features" search={{ new: true }} className={place}>
            <Plus size={14} aria-hidden="true" /> New feature
          </Link>
        ) : (
          <Link to="/features/$name" params={{ name }} className={place}>
            <Plus size={14} aria-hidden="true" /> Add a learning
          </Link>
        ))
      }
    >
      Learnings come from runs and from you{name === undefined ? "; each belongs to a feature" : ": add one"}. Those
      that stay true for {count(freshDays, "day")} with commits can become documents, which people read too and which
      leave room for new ones.
    </Empty>
  );
}

/** The next step while no learning can become a document. */
export function NothingGoes({ view, feature }: { view: ConsolidationView; feature: string | undefined }) {
  const here = ({ source }: { source: string }) => feature === undefined || source === feature;
  const those = view.decisions.filter(here);
  const contradicted = those.filter(({ decision }) => decision === "contradiction").length;
  if (contradicted > 0) {
    return (
      <p className="num text-dim">
        {count(contradicted, "learning")} could, once you decide what is right:{" "}
        <Link to="/knowledge" search={{ tab: "review", feature }} className="text-accent hover:underline">
          review what contradicts
        </Link>
      </p>
    );
  }
  const long = view.sources.filter((one) => one.needs_person && here(one)).length;
  if (long > 0) {
    return (
      <p className="num text-warn">
        {count(long, "source")} {long === 1 ? "is" : "are"} too long, and nothing in {long === 1 ? "it" : "them"} may go
        yet: split the feature, or retire what is not needed.
      </p>
    );
  }
  return <p className="num text-dim">{waiting(view, view.entries.filter(here))}</p>;
}

function waiting({ summary, decisions }: ConsolidationView, entries: ConsolidationView["entries"]): string {
  if (entries.length === 0) return "Learnings come from runs and from you. There are none yet.";
  const young = entries.filter(({ eligible }) => !eligible);
  const ages = young.flatMap(({ age_active_days }) => age_active_days ?? []);
  if (young.length < entries.length || decisions.length === 0) {
    return "The newest stay where they are, and the others are said elsewhere. Nothing needs doing.";
  }
  if (ages.length === 0) return "How old they are is not known: ages are counted in days with commits.";
  const left = count(summary.fresh_days - Math.max(...ages), "more day");
  return `The first one becomes eligible after ${left} with commits. Nothing needs doing until then.`;
}
