import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { queries, type ReviewQueue } from "@/ipc";
import { cn } from "@/lib/cn";
import { count, number } from "@/lib/format";
import { REVIEW_PARTS, type ReviewPart } from "@/lib/knowledge/knowledge-words";
import { rowKeys } from "@/lib/rows";
import { Conflicts } from "@/ui/conflicts";
import { Result } from "@/ui/query";
import { TerminalCommand } from "@/ui/said";
import { Empty } from "@/ui/state";
import { Acts } from "./acts";
import { Doubts } from "./doubts";
import { Parked } from "./parked";
import { SaidAgainList } from "./said-again";
import { GateNote, Warnings } from "./warnings";

const title: Record<ReviewPart, string> = {
  conflicts: "Conflicts",
  parked: "Parked",
  warnings: "Gate warnings",
  doubts: "Doubted",
  said_again: "Said again",
  acts: "Done by Ralph",
};

/** The review queue, whole or one part of it: decisions for a person, and Ralph's automatic acts. */
export function Review({ feature, part }: { feature: string | undefined; part: ReviewPart | undefined }) {
  const queue = useQuery(queries.reviewQueue());
  return (
    <Result of={queue}>
      {(all) => {
        const here = of(all, feature);
        const sizes = sizesOf(here);
        const more: Partial<Record<ReviewPart, number>> = all.more;
        const left = (one: ReviewPart) => more[one] ?? 0;
        const shown = REVIEW_PARTS.filter((one) => (part ? one === part : sizes[one] + left(one) > 0));
        const elsewhere = total(sizesOf(all)) - total(sizes);
        return (
          <>
            <nav
              aria-label="Parts of the review"
              className="flex min-h-11 shrink-0 flex-wrap items-center gap-1 border-b border-line px-6 py-1.5"
            >
              <PartLink feature={feature} active={part === undefined} label="Everything" />
              {REVIEW_PARTS.map((one) => (
                <PartLink
                  key={one}
                  part={one}
                  feature={feature}
                  active={part === one}
                  label={title[one]}
                  n={sizes[one] + (feature === undefined ? left(one) : 0)}
                />
              ))}
              {feature !== undefined && (
                <Link
                  to="/knowledge"
                  search={{ tab: "review", part }}
                  className="num ml-auto text-xs text-dim hover:text-text"
                >
                  only {feature}
                  {elsewhere > 0 && ` · ${elsewhere} elsewhere`} · show all
                </Link>
              )}
            </nav>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: moves the focus between the rows of all parts. */}
            <div data-scroller className="min-h-0 flex-1 overflow-y-auto low:min-h-56 pb-6" onKeyDown={rowKeys}>
              {shown.length === 0 || (part && sizes[part] + left(part) === 0) ? (
                <Empty icon={CircleCheck} title={part ? nothing[part] : "Nothing waits for you"}>
                  {part
                    ? what[part]
                    : "Learnings that contradict each other, wait for room, or say too little are listed here."}
                </Empty>
              ) : null}
              {shown.map((one) => (
                <Part
                  key={one}
                  part={one}
                  n={sizes[one]}
                  more={left(one)}
                  note={one === "warnings" && <GateNote gate={all.gate} />}
                >
                  {one === "conflicts" && <Conflicts pairs={here.pairs} className="px-6" />}
                  {one === "parked" && <Parked learnings={here.parked} whole={part === "parked"} />}
                  {one === "warnings" && <Warnings warnings={here.warnings} />}
                  {one === "doubts" && <Doubts doubts={here.doubts} />}
                  {one === "said_again" && <SaidAgainList said={here.said_again} />}
                  {one === "acts" && <Acts acts={here.acts} />}
                  {left(one) > 0 && (
                    <p className="num px-6 pt-2 text-xs text-dim">
                      and {number(left(one))} more{feature !== undefined && " of all features"}
                      {one === "acts" ? (
                        <>
                          , older ones: <TerminalCommand command="ralph review undo ID" /> undoes these, too
                        </>
                      ) : (
                        ", listed once those before them are decided"
                      )}
                    </p>
                  )}
                </Part>
              ))}
            </div>
          </>
        );
      }}
    </Result>
  );
}

const nothing: Record<ReviewPart, string> = {
  conflicts: "No conflicts to decide",
  parked: "Nothing is parked",
  warnings: "No warnings of the quality gate",
  doubts: "Nothing is doubted",
  said_again: "Nothing that was put away was said again",
  acts: "Nothing to undo",
};
const what: Record<ReviewPart, string> = {
  conflicts:
    "When two learnings contradict each other and a person stands behind one, both wait here until you choose.",
  parked:
    "When a feature is full of protected learnings, new ones wait here. They return when room appears or the feature is split.",
  warnings: "What agents write and says too little to help is listed here until you keep it or put it away.",
  doubts:
    "What an agent that reviews learnings thinks is wrong, or wants a person for, waits here. It changes nothing itself.",
  said_again:
    "What you put away stays away. When three further iterations say it again, you are asked here, once more and only once.",
  acts: "When Ralph counts, merges or replaces learnings on its own, each act can be undone here.",
};

function of(queue: ReviewQueue, feature: string | undefined): ReviewQueue {
  if (feature === undefined) return queue;
  return {
    ...queue,
    pairs: queue.pairs.filter(({ newer }) => newer.feature === feature),
    parked: queue.parked.filter((learning) => learning.feature === feature),
    warnings: queue.warnings.filter(({ learning }) => learning.feature === feature),
    doubts: queue.doubts.filter(({ learning }) => learning.feature === feature),
    said_again: queue.said_again.filter(({ learning }) => learning.feature === feature),
    acts: queue.acts.filter(({ learning }) => learning.feature === feature),
  };
}

function sizesOf({ pairs, parked, warnings, doubts, said_again, acts }: ReviewQueue): Record<ReviewPart, number> {
  return {
    conflicts: pairs.length,
    parked: parked.length,
    warnings: warnings.length,
    doubts: doubts.length,
    said_again: said_again.length,
    acts: acts.length,
  };
}

const total = (sizes: Record<ReviewPart, number>) => Object.values(sizes).reduce((sum, n) => sum + n, 0);

function PartLink({
  part,
  feature,
  active,
  label,
  n,
}: {
  part?: ReviewPart;
  feature: string | undefined;
  active: boolean;
  label: string;
  n?: number;
}) {
  return (
    <Link
      to="/knowledge"
      search={{ tab: "review", part, feature }}
      replace
      aria-current={active ? "true" : undefined}
      className={cn(
        "num inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-dim hover:bg-raised hover:text-text",
        active && "bg-raised font-medium text-text",
      )}
    >
      {label} {n !== undefined && <span className="text-xs font-normal text-faint">{n}</span>}
    </Link>
  );
}

function Part({
  part,
  n,
  more,
  note,
  children,
}: {
  part: ReviewPart;
  n: number;
  /** How many are not listed. */
  more: number;
  note: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title[part]} className="pt-4">
      {(n > 0 || more > 0 || note) && (
        <div className="mb-2 flex flex-wrap items-baseline gap-x-2.5 px-6">
          <h2 className="font-semibold">{title[part]}</h2>
          <span className="num text-xs text-faint">{note || (n > 0 && count(n, noun[part][0], noun[part][1]))}</span>
        </div>
      )}
      {n + more > 0 && children}
    </section>
  );
}

const noun: Record<ReviewPart, [string, string]> = {
  conflicts: ["pair", "pairs"],
  parked: ["learning", "learnings"],
  warnings: ["learning", "learnings"],
  doubts: ["learning", "learnings"],
  said_again: ["learning", "learnings"],
  acts: ["act", "acts"],
};
