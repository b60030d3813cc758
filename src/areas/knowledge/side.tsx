import { Pencil } from "lucide-react";
import type { FeatureLearning, Piece } from "@/ipc";
import { Button } from "@/ui/button";
import { LearningMeta } from "@/ui/learning-row";
import { Pieces } from "@/ui/pieces";

/** One of two learnings that stand side by side. */
export function Side({
  title,
  learning,
  pieces,
  now,
  onEdit,
}: {
  title: string;
  learning: FeatureLearning;
  pieces: Piece[];
  now: number;
  onEdit?: () => void;
}) {
  return (
    <section className="min-w-0 px-4 py-2.5" aria-label={title}>
      <div className="flex min-h-7 items-center justify-between">
        <h3 className="text-2xs font-medium text-faint">{title}</h3>
        {onEdit && (
          <Button look="ghost" size="icon" aria-label={`Edit the ${title.toLowerCase()} one`} onClick={onEdit}>
            <Pencil size={13} />
          </Button>
        )}
      </div>
      <Pieces pieces={pieces} />
      {learning.reason && <p className="selectable text-xs wrap-anywhere text-dim">{learning.reason}</p>}
      <LearningMeta learning={{ ...learning, conflicts_with: [] }} now={now} showFeature={false} />
    </section>
  );
}
