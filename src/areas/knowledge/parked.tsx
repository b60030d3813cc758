import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FeatureLearning, type FeatureRow, queries } from "@/ipc";
import { useNow } from "@/lib/hooks";
import { saturationWords } from "@/ui/chart/saturation-bar";
import { useEditLearning } from "@/ui/learning/edit-learning";
import { LearningRow } from "@/ui/learning/learning-row";
import { PageRows } from "@/ui/virtual-list";

/** Rows shown on the overview; the tab lists all. */
const FEW = 10;

/** Learnings that were parked for lack of room. */
export function Parked({ learnings, whole }: { learnings: FeatureLearning[]; whole: boolean }) {
  const now = useNow(60_000);
  const { data: features } = useQuery(queries.features());
  const rows = new Map(features?.map((row) => [row.feature.name, row]));
  const [edit, dialog] = useEditLearning();
  const shown = whole ? learnings : learnings.slice(0, FEW);
  return (
    <>
      <PageRows
        label="Parked learnings"
        className="border-t border-line"
        items={shown}
        keyOf={({ id }) => id}
        estimate={64}
        render={(learning) => (
          <LearningRow
            learning={learning}
            now={now}
            showFeature
            onEdit={edit}
            facts={<Why row={rows.get(learning.feature)} />}
          />
        )}
      />
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

/** Why it is parked, and how to make room. */
function Why({ row }: { row: FeatureRow | undefined }) {
  if (!row || row.saturation.learnings_count < row.saturation.max_learnings) return null;
  return (
    <span className="text-high">
      no room: {saturationWords(row.saturation)}
      {row.split_task !== null && (
        <>
          {", "}
          <Link to="/tasks/$id" params={{ id: String(row.split_task) }} className="hover:underline">
            split task #{row.split_task}
          </Link>
        </>
      )}
    </span>
  );
}
