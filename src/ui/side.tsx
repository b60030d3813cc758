import { Pencil } from "lucide-react";
import type { FeatureLearning, Piece } from "@/ipc";
import { cn } from "@/lib/cn";
import { LearningMeta } from "@/ui/learning/learning-row";
import { Button } from "./button";
import { Pieces } from "./pieces";

/** One of two learnings shown side by side. */
export function Side({
  title,
  learning,
  pieces,
  now,
  quiet = false,
  onEdit,
}: {
  title: string;
  learning: FeatureLearning;
  pieces: Piece[];
  now: number;
  /** The differences are shown for information only, without a decision. */
  quiet?: boolean;
  onEdit?: () => void;
}) {
  return (
    <article className="min-w-0 px-4 py-2.5" aria-label={title}>
      <div className={cn("flex items-center justify-between", onEdit && "min-h-7")}>
        <h3 className="text-2xs font-medium text-faint">{title}</h3>
        {onEdit && (
          <Button look="ghost" size="icon" aria-label={`Edit the ${title.toLowerCase()} one`} onClick={onEdit}>
            <Pencil size={13} />
          </Button>
        )}
      </div>
      <Pieces pieces={pieces} quiet={quiet} />
      {learning.reason && <p className="selectable text-xs wrap-anywhere text-dim">{learning.reason}</p>}
      <LearningMeta learning={{ ...learning, conflicts_with: [] }} now={now} showFeature={false} />
    </article>
  );
}
