import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type EffectOrder, queries } from "@/ipc";
import { count, needleOf } from "@/lib/format";
import { effectWords } from "@/lib/knowledge/effect-words";
import { Badge } from "@/ui/badge";
import { NumbersTable } from "@/ui/chart/day-chart";
import { AT_ONCE } from "@/ui/few";
import { Section } from "@/ui/page";
import { Select } from "@/ui/select";
import { RowsLink } from "./rows-link";

const ORDERS: Record<EffectOrder, string> = {
  told: "Most told first",
  effect: "Best effect first",
  harm: "Worst effect first",
  failed: "Most failures they warn of first",
};

/** The measured effect of each learning on the attempts whose prompts included it. */
export function Effects() {
  const [order, setOrder] = useState<EffectOrder>("told");
  const [shown, setShown] = useState(AT_ONCE);
  const { data } = useQuery(queries.learningEffects(order, shown));
  if (!data || data.total === 0) return null;
  return (
    <Section title="What each learning did" note="for the attempts that were told it">
      <Select
        className="h-7 bg-panel"
        label="Order"
        value={order}
        onChange={(next) => setOrder(next as EffectOrder)}
        options={Object.entries(ORDERS).map(([value, label]) => ({ value, label }))}
      />
      <NumbersTable
        wide
        open
        label={count(data.total, "learning")}
        total={data.total}
        onMore={setShown}
        head={[
          "Learning",
          "Told",
          "Done",
          "Failed",
          <span key="w" className="whitespace-nowrap">
            As warned
          </span>,
          "Avoided",
          <span
            key="e"
            className="whitespace-nowrap"
            title="Points by which attempts succeed more often with it than without, and the 95 % interval"
          >
            Effect (95 %)
          </span>,
        ]}
        rows={data.rows}
        row={(row) => ({
          key: row.learning,
          cells: [
            <span key="text" className="line-clamp-2 wrap-anywhere">
              {row.harmful && <Badge tone="bad">harmful</Badge>}{" "}
              <Link to="/knowledge" search={{ q: needleOf(row.text) }} className="hover:text-accent">
                {row.text}
              </Link>
            </span>,
            <RowsLink key="told" search={{ learning: row.learning, effect: "shown" }}>
              {row.shown} <span className="sr-only">told</span>
            </RowsLink>,
            <RowsLink key="done" search={{ learning: row.learning, effect: "succeeded" }}>
              {row.succeeded} <span className="sr-only">done</span>
            </RowsLink>,
            <RowsLink key="failed" search={{ learning: row.learning, effect: "failed" }}>
              {row.failed} <span className="sr-only">failed</span>
            </RowsLink>,
            <RowsLink key="warned" search={{ learning: row.learning, effect: "failed_as_warned" }}>
              {row.failed_as_warned} <span className="sr-only">failed as it warns</span>
            </RowsLink>,
            <RowsLink key="avoided" search={{ learning: row.learning, effect: "avoided" }}>
              {row.avoided} <span className="sr-only">avoided</span>
            </RowsLink>,
            <RowsLink key="effect" search={{ learning: row.learning, effect: "compared" }}>
              <span className="whitespace-nowrap">{effectWords(row)}</span>{" "}
              <span className="sr-only">against those held out</span>
            </RowsLink>,
          ],
        })}
      />
    </Section>
  );
}
