import { Badge } from "@/ui/badge";
import { Tooltip } from "@/ui/tooltip";

/** Marks words that came by a clone, a pull or a merge. A replica is named by its last letters: the first ones are a timestamp. */
export function OutsideBadge({ replica }: { replica: string | null }) {
  return (
    <Tooltip
      content={
        replica
          ? `Not written in this project's database: replica ${replica} brought it. Agents are told it as an observation.`
          : "Not written in this project's database. Agents are told it as an observation."
      }
    >
      <span className="relative z-1">
        <Badge tone="dim">from outside{replica && ` · ${replica.slice(-4)}`}</Badge>
      </span>
    </Tooltip>
  );
}
