import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type NeedsYou, queries } from "@/ipc";
import { count } from "@/lib/format";
import { Button } from "@/ui/button";
import { Conflicts } from "@/ui/conflicts";
import { Result } from "@/ui/query";
import { Row } from "./row";

/** Learnings of one feature that contradict each other: decided here, side by side. */
export function ConflictsRow({ item }: { item: Extract<NeedsYou, { kind: "conflicts" }> }) {
  const [open, setOpen] = useState(false);
  const words = `${count(item.count, "pair")} of contradicting learnings`;
  const toggle = () => setOpen(!open);
  return (
    <Row
      title={
        <button
          type="button"
          data-row
          aria-expanded={open}
          onClick={toggle}
          className="block max-w-full truncate text-left hover:underline"
        >
          {words}
        </button>
      }
      reason="Choose which one agents are told, or keep both."
      feature={item.feature}
      actions={
        <Button aria-expanded={open} aria-label={`Decide in ${item.feature}`} onClick={toggle}>
          Decide
        </Button>
      }
    >
      {open && <Pairs feature={item.feature} />}
    </Row>
  );
}

function Pairs({ feature }: { feature: string }) {
  const queue = useQuery(queries.reviewQueue());
  return (
    <div className="pt-2 pb-1">
      <Result of={queue} rows={3}>
        {({ pairs }) => <Conflicts pairs={pairs.filter(({ newer }) => newer.feature === feature)} />}
      </Result>
    </div>
  );
}
