import { Link } from "@tanstack/react-router";
import {
  CircleAlert,
  CircleHelp,
  CirclePause,
  GitBranch,
  GitCompareArrows,
  GitPullRequest,
  Lightbulb,
  type LucideIcon,
  ParkingCircle,
  ShieldQuestion,
} from "lucide-react";
import type { ReactNode, Ref } from "react";
import type { NeedsYou } from "@/ipc";
import { cn } from "@/lib/cn";
import { count, firstLine } from "@/lib/format";
import { endedInAWord } from "@/lib/words";

/** One open item, linked to where it is resolved. */
export function Need({ item, ref, ...rest }: { item: NeedsYou; ref?: Ref<HTMLAnchorElement> }) {
  const link = { ref, ...rest, className: row };
  switch (item.kind) {
    case "blocked_task":
      return (
        <Link {...link} to="/tasks/$id" params={{ id: String(item.task) }}>
          <Words icon={CirclePause} tone="text-warn" title={`#${item.task} ${item.title}`}>
            {item.reason}
          </Words>
        </Link>
      );
    case "stranded_task":
      return (
        <Link {...link} to="/tasks/$id" params={{ id: String(item.task) }}>
          <Words icon={CirclePause} tone="text-warn" title={`#${item.task} ${item.title}`}>
            {`It waits for ${item.waiting_on.map((id) => `#${id}`).join(", ")}, which was given up.`}
          </Words>
        </Link>
      );
    case "in_review":
    case "proposed": {
      const work = item.kind === "in_review" ? `${item.task}` : `e${item.errand}`;
      return (
        <Link {...link} to="/review/$task" params={{ task: work }}>
          <Words
            icon={GitPullRequest}
            tone={item.refused && !item.under_way ? "text-bad" : "text-accent"}
            title={`${item.kind === "in_review" ? `#${work}` : work} ${item.title}`}
          >
            {item.under_way
              ? `Now: ${item.under_way}.`
              : item.refused
                ? `It could not be merged: ${item.refused}`
                : item.kind === "in_review"
                  ? "It is done and waits for your review."
                  : "It proposes a change and waits for your review."}
          </Words>
        </Link>
      );
    }
    case "conflicts":
      return (
        <Link {...link} to="/knowledge" search={{ tab: "review", feature: item.feature }}>
          <Words icon={GitCompareArrows} tone="text-warn" title={`${count(item.count, "conflict")} in ${item.feature}`}>
            {item.count === 1 ? "Two learnings contradict" : "Learnings contradict"} each other; choose which one agents
            are told.
          </Words>
        </Link>
      );
    case "parked":
      return (
        <Link {...link} to="/knowledge" search={{ tab: "review", part: "parked", feature: item.feature }}>
          <Words
            icon={ParkingCircle}
            tone="text-high"
            title={`${count(item.count, "learning")} parked in ${item.feature}`}
          >
            {parkedWords(item)}
          </Words>
        </Link>
      );
    case "untrusted":
      return (
        <Link {...link} to="/needs-you">
          <Words icon={ShieldQuestion} tone="text-warn" title="The folder brings along what waits for your yes">
            {item.items.join(", ")}
          </Words>
        </Link>
      );
    case "run_stopped":
      return (
        <Link {...link} to="/loop/$run" params={{ run: String(item.run) }}>
          <Words icon={CircleAlert} tone="text-bad" title={`Run ${item.run} ${endedInAWord[item.reason] ?? "stopped"}`}>
            {item.note}
          </Words>
        </Link>
      );
    case "question":
      return (
        <Link {...link} to="/needs-you">
          <Words icon={CircleHelp} tone="text-warn" title={`#${item.question.task} asks to use ${item.question.tool}`}>
            {item.question.summary}
          </Words>
        </Link>
      );
    case "holds_merges":
    case "notice": {
      const { kind, title, detail } = item.notice;
      return (
        <Link {...link} to="/needs-you">
          <Words
            icon={kind === "proposal" ? Lightbulb : GitBranch}
            tone={kind === "proposal" ? "text-accent" : "text-bad"}
            title={title}
          >
            {item.kind === "holds_merges" && "Nothing is merged before you have looked at it. "}
            {firstLine(detail)}
          </Words>
        </Link>
      );
    }
  }
}

/** What makes room for parked learnings. */
export function parkedWords({ split_task, split_waits }: Extract<NeedsYou, { kind: "parked" }>): string {
  if (split_task === null) return "Move them to another feature, or make room: retire something, or raise the cap.";
  return `Split task #${split_task} ${split_waits ? "would make room, and waits for you." : "will make room."}`;
}

/** The identity of an open item, independent of its text. */
export function needKey(item: NeedsYou): string {
  switch (item.kind) {
    case "blocked_task":
      return `task ${item.task}`;
    case "stranded_task":
      return `stranded ${item.task}`;
    case "in_review":
      return `review ${item.task}`;
    case "proposed":
      return `review e${item.errand}`;
    case "conflicts":
      return `conflicts ${item.feature}`;
    case "parked":
      return `parked ${item.feature}`;
    case "untrusted":
      return "untrusted";
    case "run_stopped":
      return `run ${item.run}`;
    case "question":
      return `question ${item.question.id}`;
    case "holds_merges":
    case "notice":
      return `notice ${item.notice.id}`;
  }
}

const row = "flex items-start gap-2.5 rounded-lg px-2 py-2 hover:bg-raised";

function Words({
  icon: Icon,
  tone,
  title,
  children,
}: {
  icon: LucideIcon;
  tone: string;
  title: string;
  children: ReactNode;
}) {
  return (
    <>
      <Icon size={15} strokeWidth={1.75} className={cn("mt-0.5 shrink-0", tone)} aria-hidden="true" />
      <span className="min-w-0">
        <span className="block wrap-anywhere">{title}</span>
        <span className="line-clamp-2 text-xs wrap-anywhere text-dim">{children}</span>
      </span>
    </>
  );
}
