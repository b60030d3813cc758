import { Link } from "@tanstack/react-router";
import type { FeatureLearning } from "@/ipc";
import { useNow } from "@/lib/hooks";
import { useEditLearning } from "@/ui/edit-learning";
import { LearningRow } from "@/ui/learning-row";

/** Rows that stand among the other parts; the part of its own shows all. */
const FEW = 10;

/** What was learnt when there was no room for it. */
export function Parked({ learnings, whole }: { learnings: FeatureLearning[]; whole: boolean }) {
  const now = useNow(60_000);
  const [edit, dialog] = useEditLearning();
  const shown = whole ? learnings : learnings.slice(0, FEW);
  return (
    <>
      <ul aria-label="Parked learnings" className="border-t border-line">
        {shown.map((learning) => (
          <li key={learning.id}>
            <LearningRow learning={learning} now={now} showFeature onEdit={edit} />
          </li>
        ))}
      </ul>
      {shown.length < learnings.length && (
        <Link
          to="/knowledge"
          search={(before) => ({ ...before, tab: "review", part: "parked" })}
          className="num block px-6 pt-2 text-xs text-accent hover:underline"
        >
          {learnings.length - shown.length} more
        </Link>
      )}
      {dialog}
    </>
  );
}
