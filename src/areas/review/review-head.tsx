import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { queries, type Review } from "@/ipc";
import { ago, count, moment } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { heldUpBy } from "@/lib/needs";
import { workOf } from "@/lib/work";
import { Badge } from "@/ui/badge";
import { Counts } from "@/ui/diff/counts";
import { Select } from "@/ui/select";
import { ErrorNote } from "@/ui/state";
import { CheckLine } from "@/ui/task/check-line";
import { HeldUp } from "./held-up";
import { useUnderWay } from "./under-way";
import { conflictOf, divergingLines, hereSaid, isOpen, standingOf } from "./words";

/** Task, branch and base, their state, and the actions. */
export function ReviewHead({ review, actions, end }: { review: Review; actions?: ReactNode; end?: ReactNode }) {
  const { data: overview } = useQuery(queries.overview());
  // Obstacles to a merge, and the ways out, belong to work that can be merged.
  const open = isOpen(review.row);
  const underWay = useUnderWay(review.row);
  // Why it was refused last is no news while it is tried again.
  const refusal = open && underWay.words === null ? review.refusal : null;
  const held = open ? heldUpBy(overview?.needs_you) : undefined;
  const standing = standingOf(review.row, held !== undefined, underWay.words);
  return (
    <>
      <header className="shrink-0 px-6 pt-3">
        <div className="flex min-h-8 items-center gap-3 max-[700px]:flex-wrap max-[700px]:gap-y-1.5">
          <h1 className="min-w-0 truncate text-lg font-semibold tracking-tight max-[700px]:whitespace-normal">
            {review.row.task === null ? (
              <>
                <span className="num font-normal text-faint">e{review.row.errand}</span> {review.row.title}
              </>
            ) : (
              <Link
                to="/tasks/$id"
                params={{ id: String(review.row.task) }}
                className="inline-block min-h-6 max-w-full truncate align-bottom hover:underline max-[700px]:whitespace-normal"
              >
                <span className="num font-normal text-faint">#{review.row.task}</span> {review.row.title}
              </Link>
            )}
          </h1>
          <div className="ml-auto flex shrink-0 items-center gap-2 max-[700px]:flex-wrap">{actions}</div>
        </div>
        <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 pb-1.5 max-[700px]:pt-1.5 text-xs text-dim">
          <span className="selectable flex min-w-0 items-center gap-1.5 font-mono" title={review.worktree_path}>
            <span className="truncate">{review.row.branch}</span>
            <ArrowRight size={12} className="shrink-0 text-faint" aria-label="into" />
            <span className="max-w-48 shrink-0 truncate">{review.row.base}</span>
          </span>
          <Badge tone={standing.tone}>{standing.words}</Badge>
          <Counts added={review.row.added} removed={review.row.removed} />
          <span className="ml-auto flex items-center gap-2">{end}</span>
        </div>
        {held && <HeldUp notice={held} className="pb-2" />}
        {open && !refusal && review.conflicts.length > 0 && (
          <ul aria-label="Conflicts" className="selectable pb-2 wrap-anywhere text-dim">
            {review.conflicts.map((conflict) => (
              <li key={conflict.path}>
                <span className="font-mono text-xs">{conflict.path}</span>: {conflictOf(conflict, review.row)}
              </li>
            ))}
          </ul>
        )}
        {refusal && (
          <div className="pb-2">
            <ErrorNote fault={hereSaid(refusal, review.row)} />
          </div>
        )}
      </header>
      <ByAgent review={review} />
      <Diverging review={review} />
      <div className="shrink-0 border-t border-line">
        {review.row.check && <CheckLine check={review.row.check} open={false} />}
      </div>
    </>
  );
}

/** The summary of an agent that reviewed first; its findings are shown at their lines, and here those on files that the work left alone. */
function ByAgent({ review: { by_agent, files } }: { review: Review }) {
  if (!by_agent) return null;
  const changed = new Set(files.map(({ path }) => path));
  const elsewhere = by_agent.sent_back ? [] : by_agent.findings.filter(({ file }) => !changed.has(file));
  const must = by_agent.findings.filter(({ weight }) => weight === "must").length;
  const found =
    by_agent.findings.length === 0
      ? "nothing to change"
      : `${count(by_agent.findings.length, "finding")}${must > 0 ? `, ${must} must be changed` : ""}`;
  return (
    <div className="num shrink-0 px-6 pb-2 text-xs text-dim">
      <p>
        <Link
          to="/loop/errands/$errand"
          params={{ errand: String(by_agent.errand) }}
          className="hover:text-text hover:underline"
        >
          {by_agent.model}
        </Link>{" "}
        reviewed it: <span className={must > 0 ? "text-warn" : ""}>{found}</span>
        {by_agent.sent_back && "; the work went back for it"}
        {!by_agent.current && " (before the last change)"}
      </p>
      {elsewhere.length > 0 && (
        <ul aria-label="Findings on other files" className="selectable pt-1 wrap-anywhere">
          {elsewhere.map(({ file, line, weight, text }) => (
            <li key={`${file}:${line}:${text}`}>
              <span className="font-mono">{line === null ? file : `${file}:${line}`}</span>:{" "}
              {weight === "must" ? text : `(a note) ${text}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** How many entries may not be said as they were learnt; each is shown at its line. */
function Diverging({ review: { divergences } }: { review: Review }) {
  const lines = divergingLines(divergences);
  if (lines === 0) return null;
  return (
    <p className="num shrink-0 px-6 pb-2 text-xs text-warn">
      {count(lines, "entry", "entries")} may say something else than what was learnt: compare the two at{" "}
      {lines === 1 ? "its line" : "their lines"}
    </p>
  );
}

/** Selects all of the work, or one commit of it. */
export function CommitChoice({ review, commit }: { review: Review; commit: string | null }) {
  const now = useNow(60_000);
  const choose = useCommit(review);
  const { commits } = review;
  const one = commits.find(({ id }) => id === commit);
  const whole = commits.length === 1 ? "The one commit" : `All ${commits.length} commits`;
  return (
    <>
      {one && (
        <span className="max-w-60 truncate max-[1150px]:hidden" title={moment(one.time)}>
          {one.author}, {ago(one.time, now)}
        </span>
      )}
      <Select
        label="Commits"
        className="h-7 max-w-80 text-xs max-[1150px]:max-w-56"
        value={commit ?? ""}
        onChange={(id) => choose(id === "" ? null : id)}
        options={[
          { value: "", label: whole },
          ...commits.map(({ id, subject }) => ({ value: id, label: `${id.slice(0, 7)} ${subject}` })),
        ]}
      />
    </>
  );
}

/** Puts a commit into the URL, or removes it. */
export function useCommit(review: Review): (commit: string | null) => void {
  const navigate = useNavigate();
  return (commit) =>
    void navigate({
      to: "/review/$task",
      params: { task: workOf(review.row) },
      search: { commit: commit ?? undefined },
      replace: true,
    });
}
