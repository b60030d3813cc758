import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { queries, type Review } from "@/ipc";
import { named, nameOf, workOf } from "@/lib/work";
import type { DiffFile } from "@/ui/diff/parse";
import { useDiff } from "@/ui/diff/use-diff";
import { PageResult, Result } from "@/ui/query";
import { ReviewHead } from "./review-head";
import { ReviewWork } from "./review-work";

const route = getRouteApi("/review/$task");

/** The review of a task's work or of an errand's proposal: what it is, what it changed, and the decision. */
export function ReviewPage() {
  const work = route.useParams().task;
  const { commit } = route.useSearch();
  const review = useQuery(queries.review(work));
  return (
    <PageResult of={review} title={`Review of ${nameOf(named(work))}`} up={<Link to="/review">Review</Link>}>
      {(review) => (
        <ReviewOf
          // Drafts and marks belong to this work only.
          key={work}
          review={review}
          commit={review.commits.some(({ id }) => id === commit) ? (commit ?? null) : null}
        />
      )}
    </PageResult>
  );
}

function ReviewOf({ review, commit }: { review: Review; commit: string | null }) {
  const diff = useQuery(queries.reviewDiff(workOf(review.row), commit));
  const parsed = useDiff(diff.data?.text ?? "");
  const cut = diff.data?.cut ?? false;
  const files = useMemo(
    () => (parsed.complete && !cut ? parsed.files : [...parsed.files, ...unread(review, commit, parsed.files)]),
    [review, commit, parsed, cut],
  );
  if (!diff.data)
    return (
      <div className="flex h-full min-h-0 flex-col">
        <ReviewHead review={review} />
        <Result of={diff}>{() => null}</Result>
      </div>
    );
  const notes = cut ? [...parsed.notes, "too long to be read at once"] : parsed.notes;
  return <ReviewWork review={review} commit={commit} files={files} notes={notes} />;
}

/** The files that a diff lacks because it is truncated, or only partly read. The last file of a truncated one says itself that it's cut. */
function unread(review: Review, commit: string | null, read: readonly DiffFile[]): DiffFile[] {
  const known = new Set(read.map(({ path }) => path));
  const missing = commit === null ? review.files.filter(({ path }) => !known.has(path)) : [];
  return missing.map((file) => ({
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
  }));
}
