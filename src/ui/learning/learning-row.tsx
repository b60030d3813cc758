import { Link } from "@tanstack/react-router";
import { Archive, Check, GitCompareArrows, Lock, Pencil, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import type { FeatureLearning, LearningRow as ListedLearning } from "@/ipc";
import { cn } from "@/lib/cn";
import { ago, moment, old } from "@/lib/format";
import { actOnLearnings, type LearningAction } from "@/lib/knowledge/learning-actions";
import { isProtected, sourceWord, stateWord } from "@/lib/words";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { FactLine } from "@/ui/fact-line";
import { Tooltip } from "@/ui/tooltip";
import { DocumentOf } from "./document-of";
import { LearningMenu } from "./learning-menu";
import { OutsideBadge } from "./outside-badge";
import { TaskOf } from "./task-of";
import { Wording } from "./wording";

/** The default category. */
const NO_CATEGORY = "general";

/** The author, if known. */
type Origin = Pick<ListedLearning, "outside" | "outside_replica">;

/** One learning: its text, provenance, protection, and actions. */
export function LearningRow({
  learning,
  now,
  showFeature = false,
  selected,
  onSelect,
  onEdit,
  facts,
  aside,
  children,
}: {
  learning: FeatureLearning & Partial<Origin>;
  now: number;
  showFeature?: boolean;
  selected?: boolean;
  onSelect?: (on: boolean) => void;
  onEdit: (learning: FeatureLearning) => void;
  /** Further details, before the tags. */
  facts?: ReactNode;
  /** Shown below the actions. */
  aside?: ReactNode;
  /** Expanded content below the row. */
  children?: ReactNode;
}) {
  const active = learning.state === "active";
  const act = (action: LearningAction) => void actOnLearnings(action, [learning.id]);
  return (
    <article
      tabIndex={-1}
      data-row
      data-learning={learning.id}
      className={cn(
        "group flex gap-3 border-b border-line px-6 py-2.5 hover:bg-hover",
        selected && "bg-accent-soft hover:bg-accent-soft",
      )}
    >
      {onSelect && (
        <Checkbox
          className="mt-0.75"
          checked={selected ?? false}
          onChange={onSelect}
          label={`Select: ${learning.text.slice(0, 60)}`}
        />
      )}
      <div className="min-w-0 flex-1">
        <Wording text={learning.text} className={cn(!active && "text-dim")} />
        {learning.reason && <p className="selectable text-xs wrap-anywhere text-dim">{learning.reason}</p>}
        <LearningMeta learning={learning} now={now} showFeature={showFeature}>
          {facts}
        </LearningMeta>
        {children}
      </div>
      <div className="flex shrink-0 flex-col items-end">
        {active ? (
          <div className="flex items-start gap-0.5 opacity-75 group-focus-within:opacity-100 group-hover:opacity-100">
            <Act label="Edit" onClick={() => onEdit(learning)}>
              <Pencil size={14} />
            </Act>
            <Act label="Mark as reviewed" onClick={() => act("review")}>
              <Check size={15} />
            </Act>
            <Act label="Retire" onClick={() => act("retire")}>
              <Archive size={14} />
            </Act>
            <LearningMenu learning={learning} />
          </div>
        ) : (
          <div className="flex items-start gap-0.5">
            <Button size="sm" onClick={() => act("restore")}>
              <Undo2 size={13} aria-hidden="true" /> Restore
            </Button>
            <LearningMenu learning={learning} />
          </div>
        )}
        {aside}
      </div>
    </article>
  );
}

function Act({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <Tooltip content={label}>
      <Button look="ghost" size="icon" aria-label={label} onClick={onClick}>
        {children}
      </Button>
    </Tooltip>
  );
}

/** The details of a learning, without those that apply to most: written by an agent, observed by one iteration. */
export function LearningMeta({
  learning,
  now,
  showFeature,
  children,
}: {
  learning: FeatureLearning & Partial<Origin>;
  now: number;
  showFeature: boolean;
  children?: ReactNode;
}) {
  const why = protection(learning);
  return (
    <FactLine className="mt-0.5" lead={learning.state !== "active" && <Badge>{stateWord[learning.state]}</Badge>}>
      {showFeature && (
        <Link to="/features/$name" params={{ name: learning.feature }} className="text-dim hover:text-text">
          {learning.feature}
        </Link>
      )}
      {isProtected(learning) && (
        <Tooltip content={`Never pruned by Ralph: ${why}`}>
          <span className="inline-flex items-center gap-1 text-dim">
            <Lock size={11} aria-label="Protected" role="img" /> protected
          </span>
        </Tooltip>
      )}
      {learning.consolidated_into && <DocumentOf learning={learning} />}
      {learning.source !== "agent" && <span>{sourceWord[learning.source]}</span>}
      {learning.outside && <OutsideBadge replica={learning.outside_replica ?? null} />}
      {learning.category !== NO_CATEGORY && <span>{learning.category.replaceAll("_", " ")}</span>}
      {learning.hit_count > 1 && <span>seen {learning.hit_count}×</span>}
      <span title={moment(learning.created)}>{old(learning.created, now)}</span>
      <span title={learning.last_used ? moment(learning.last_used) : "No prompt has held it so far"}>
        {learning.last_used ? `told ${ago(learning.last_used, now)}` : "not told yet"}
      </span>
      {learning.task_id !== null && <TaskOf learning={learning} />}
      {learning.conflicts_with.length > 0 && (
        <Link to="/knowledge" search={{ tab: "review" }} className="inline-flex items-center gap-1 text-warn">
          <GitCompareArrows size={11} aria-hidden="true" /> conflict
        </Link>
      )}
      {children}
      {learning.tags.slice(0, 6).map((tag) => (
        <span key={tag} className="max-w-40 truncate font-mono text-2xs">
          {tag}
        </span>
      ))}
    </FactLine>
  );
}

function protection({ source, reviewed_by, hit_count }: FeatureLearning): string {
  if (source === "human") return "a person wrote it";
  if (reviewed_by !== null) return `reviewed by ${reviewed_by}`;
  return `seen by ${hit_count} iterations`;
}
