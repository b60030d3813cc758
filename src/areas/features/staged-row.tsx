import { Link } from "@tanstack/react-router";
import { GitBranch } from "lucide-react";
import type { StagedLearning } from "@/ipc";
import { moment, old } from "@/lib/format";
import { sourceWord } from "@/lib/words";
import { Badge } from "@/ui/badge";
import { FactLine } from "@/ui/fact-line";
import { Wording } from "@/ui/learning/wording";
import { Tooltip } from "@/ui/tooltip";

/** A staged learning: known on its branch only, and not counted before the branch is merged. */
export function StagedRow({ staged, times, now }: { staged: StagedLearning; times: number; now: number }) {
  const { learning, branch, at } = staged;
  return (
    <article
      tabIndex={-1}
      data-row
      data-testid="staged"
      className="flex gap-3 border-b border-line px-6 py-2.5 hover:bg-hover"
    >
      <GitBranch size={15} strokeWidth={1.75} className="mt-0.5 shrink-0 text-faint" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <Wording text={learning.text} className="text-dim" />
        {learning.reason && <p className="selectable text-xs wrap-anywhere text-dim">{learning.reason}</p>}
        <FactLine
          className="mt-0.5"
          lead={
            <Tooltip content="Told to attempts on this branch only. It is remembered like any other, and counts, once the branch is merged.">
              <span className="inline-flex">
                <Badge tone="accent">staged</Badge>
              </span>
            </Tooltip>
          }
        >
          <span className="max-w-72 truncate font-mono text-2xs text-dim">{branch}</span>
          <span>{sourceWord[learning.source]}</span>
          {times > 1 && <span>said {times}×</span>}
          <span title={moment(at)}>{old(at, now)}</span>
          {learning.task_id !== null && (
            <Link to="/review/$task" params={{ task: String(learning.task_id) }} className="hover:text-text">
              work on #{learning.task_id}
            </Link>
          )}
          {learning.tags.slice(0, 6).map((tag) => (
            <span key={tag} className="max-w-40 truncate font-mono text-2xs">
              {tag}
            </span>
          ))}
        </FactLine>
      </div>
    </article>
  );
}
