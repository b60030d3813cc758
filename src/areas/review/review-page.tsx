import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { queries, type Review, type ReviewDiff } from "@/ipc";
import { type DiffFile, parseDiff } from "@/ui/diff/parse";
import { Result } from "@/ui/query";
import { ReviewHead } from "./review-head";
import { ReviewWork } from "./review-work";
import { workOf } from "./words";

const route = getRouteApi("/review/$task");

/** The review of a task's work or of an errand's proposal: what it is, what it changed, and the decision. */
export function ReviewPage() {
  const work = route.useParams().task;
  const { commit } = route.useSearch();
  const review = useQuery(queries.review(work));
  const { data: project } = useQuery(queries.project());
  return (
    <Result of={review}>
      {(review) => (
        <ReviewOf
          // Drafts and marks belong to this work only.
          key={work}
          project={project?.path ?? ""}
          review={review}
          commit={review.commits.some(({ id }) => id === commit) ? (commit ?? null) : null}
        />
      )}
    </Result>
  );
}

function ReviewOf({ project, review, commit }: { project: string; review: Review; commit: string | null }) {
  const diff = useQuery(queries.reviewDiff(workOf(review.row), commit));
  const { files, notes } = useMemo(() => read(review, commit, diff.data), [review, commit, diff.data]);
  if (!diff.data)
    return (
      <div className="flex h-full min-h-0 flex-col">
        <ReviewHead review={review} />
        <Result of={diff}>{() => null}</Result>
      </div>
    );
  return <ReviewWork project={project} review={review} commit={commit} files={files} notes={notes} />;
}

/** Warnings in the text of the diff, and the files that it was too long for. */
function read(review: Review, commit: string | null, diff: ReviewDiff | undefined) {
  if (!diff) return { files: [], notes: [] };
  const { files, notes } = parseDiff(diff.text);
  if (!diff.cut) return { files, notes };
  // In a truncated diff its last file says so itself.
  const known = new Set(files.map(({ path }) => path));
  const missing = commit === null ? review.files.filter(({ path }) => !known.has(path)) : [];
  const unread = missing.map(
    (file): DiffFile => ({
      path: file.path,
      oldPath: file.old_path,
      change: file.change === "copied" ? "added" : file.change,
      added: file.added,
      removed: file.removed,
      binary: file.binary,
      modes: null,
      mixedEnds: false,
      torn: false,
      hunks: [],
      digest: "",
    }),
  );
  return { files: [...files, ...unread], notes: [...notes, "too long to be read at once"] };
}
