import { useQuery } from "@tanstack/react-query";
import { ParkingCircle } from "lucide-react";
import { useMemo } from "react";
import { type LearningState, queries } from "@/ipc";
import { useNow } from "@/lib/hooks";
import { actOnLearnings } from "@/lib/learning-actions";
import { LearningRow } from "@/ui/learning-row";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { VirtualList } from "@/ui/virtual-list";

const PARKED: LearningState[] = ["parked"];

/** What was learnt when there was no room for it. */
export function Parked({ feature }: { feature: string | undefined }) {
  const parked = useQuery(queries.learnings(null, PARKED));
  const now = useNow(60_000);
  const shown = useMemo(
    () => (parked.data ?? []).filter((l) => feature === undefined || l.feature === feature),
    [parked.data, feature],
  );
  return (
    <Result of={parked}>
      {() =>
        shown.length === 0 ? (
          <Empty icon={ParkingCircle} title="Nothing is parked">
            When a feature is full of protected learnings, new ones wait here. They return when room appears or the
            feature is split.
          </Empty>
        ) : (
          <VirtualList
            label="Parked learnings"
            items={shown}
            keyOf={({ id }) => id}
            estimate={64}
            render={(learning) => (
              <LearningRow
                learning={learning}
                now={now}
                showFeature
                onAct={(action) => void actOnLearnings(action, [learning.id])}
                onEdit={() => {}}
              />
            )}
          />
        )
      }
    </Result>
  );
}
