import { Link } from "@tanstack/react-router";
import type { NeedsYou } from "@/ipc";
import { count } from "@/lib/format";
import { endedBadly, stopReasonWord } from "@/lib/words";
import { buttonLook } from "@/ui/button";
import { parkedWords } from "@/ui/need";
import { ConflictsRow } from "./conflicts-row";
import { Row } from "./row";

type Item = Exclude<NeedsYou, { kind: "holds_merges" | "notice" | "untrusted" | "blocked_task" | "question" }>;

/** An item that is resolved on its own page, linked to it. */
export function OtherRow({ item }: { item: Item }) {
  switch (item.kind) {
    case "in_review":
    case "proposed": {
      const work = item.kind === "in_review" ? `${item.task}` : `e${item.errand}`;
      return (
        <Row
          testId="in-review"
          title={
            <Link to="/review/$task" params={{ task: work }} data-row className="block truncate hover:underline">
              <span className="num mr-0.5 text-faint">{item.kind === "in_review" ? `#${work}` : work}</span>{" "}
              {item.title}
            </Link>
          }
          reason={item.under_way ? `Now: ${item.under_way}` : item.refused ? `Not merged: ${item.refused}` : undefined}
          tone={item.under_way ? undefined : "text-bad"}
          feature={item.kind === "in_review" ? item.feature : undefined}
          since={item.since}
          actions={
            <Link to="/review/$task" params={{ task: work }} className={buttonLook()}>
              Review
            </Link>
          }
        />
      );
    }
    case "conflicts":
      return <ConflictsRow item={item} />;
    case "stranded_task":
      return (
        <Row
          title={
            <Link
              to="/tasks/$id"
              params={{ id: String(item.task) }}
              data-row
              className="block truncate hover:underline"
            >
              <span className="num mr-0.5 text-faint">#{item.task}</span> {item.title}
            </Link>
          }
          reason={`It waits for ${item.waiting_on.map((id) => `#${id}`).join(", ")}, given up: put that back to work, or remove the dependency.`}
          feature={item.feature}
          since={item.since}
          actions={
            <Link to="/tasks/$id" params={{ id: String(item.task) }} className={buttonLook()}>
              Open
            </Link>
          }
        />
      );
    case "parked":
      return (
        <Row
          title={
            <Link
              to="/knowledge"
              search={{ tab: "review", part: "parked", feature: item.feature }}
              data-row
              className="block truncate hover:underline"
            >
              {count(item.count, "learning")} without room
            </Link>
          }
          reason={parkedWords(item)}
          feature={item.feature}
          actions={
            item.split_task && item.split_waits ? (
              <Link to="/tasks/$id" params={{ id: String(item.split_task) }} className={buttonLook()}>
                Open #{item.split_task}
              </Link>
            ) : item.split_task ? (
              <Link to="/loop" search={{ task: item.split_task }} className={buttonLook()}>
                Run the split
              </Link>
            ) : (
              <Link
                to="/knowledge"
                search={{ tab: "review", part: "parked", feature: item.feature }}
                className={buttonLook()}
              >
                Make room
              </Link>
            )
          }
        />
      );
    case "run_stopped":
      return (
        <Row
          title={
            <Link
              to="/loop/$run"
              params={{ run: String(item.run) }}
              data-row
              className="block truncate text-bad hover:underline"
            >
              Run {item.run} {endedBadly[item.reason] ?? `stopped: ${stopReasonWord[item.reason]}`}
            </Link>
          }
          reason={item.note}
          since={item.since}
          actions={
            <Link to="/loop" className={buttonLook()}>
              Start again
            </Link>
          }
        />
      );
  }
}
