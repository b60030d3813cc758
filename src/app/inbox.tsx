import { Link } from "@tanstack/react-router";
import {
  CircleAlert,
  CirclePause,
  GitCompareArrows,
  Inbox as InboxIcon,
  type LucideIcon,
  ParkingCircle,
} from "lucide-react";
import type { ReactNode } from "react";
import type { NeedsYou } from "@/ipc";
import { cn } from "@/lib/cn";
import { count } from "@/lib/format";
import { Popover, PopoverClose, PopoverContent, PopoverTrigger } from "@/ui/popover";

/** What waits for a person, most urgent first; apart from what is merely finished. */
export function Inbox({ items }: { items: NeedsYou[] }) {
  return (
    <Popover>
      <PopoverTrigger asChild>
        <button
          type="button"
          data-testid="needs-you"
          className="flex h-7.5 w-full items-center gap-2.5 rounded-md px-2 text-left text-dim hover:bg-raised hover:text-text"
        >
          <InboxIcon size={15} strokeWidth={1.75} aria-hidden="true" />
          Needs you
          <span className={cn("num ml-auto text-xs", items.length > 0 ? "font-medium text-bad" : "text-faint")}>
            {items.length}
          </span>
        </button>
      </PopoverTrigger>
      <PopoverContent label="Needs you" side="right" align="end">
        <h2 className="border-b border-line px-3.5 py-2.5 font-semibold">Needs you</h2>
        {items.length === 0 ? (
          <p className="px-3.5 py-6 text-center text-dim">Nothing waits for you.</p>
        ) : (
          <ul className="p-1.5">
            {items.map((item) => (
              <li key={JSON.stringify(item)}>
                <Item item={item} />
              </li>
            ))}
          </ul>
        )}
      </PopoverContent>
    </Popover>
  );
}

function Item({ item }: { item: NeedsYou }) {
  switch (item.kind) {
    case "blocked_task":
      return (
        <PopoverClose asChild>
          <Link to="/tasks/$id" params={{ id: String(item.task) }} className={row}>
            <Words icon={CirclePause} tone="text-warn" title={`#${item.task} ${item.title}`}>
              {item.reason}
            </Words>
          </Link>
        </PopoverClose>
      );
    case "conflicts":
      return (
        <PopoverClose asChild>
          <Link to="/knowledge" search={{ tab: "review", feature: item.feature }} className={row}>
            <Words
              icon={GitCompareArrows}
              tone="text-warn"
              title={`${count(item.count, "conflict")} in ${item.feature}`}
            >
              Two learnings contradict each other; choose which one agents are told.
            </Words>
          </Link>
        </PopoverClose>
      );
    case "parked":
      return (
        <PopoverClose asChild>
          <Link to="/knowledge" search={{ tab: "review", part: "parked", feature: item.feature }} className={row}>
            <Words
              icon={ParkingCircle}
              tone="text-high"
              title={`${count(item.count, "learning")} parked in ${item.feature}`}
            >
              {item.split_task
                ? `Split task #${item.split_task} will make room.`
                : "Retire something, or raise the cap, to make room."}
            </Words>
          </Link>
        </PopoverClose>
      );
    case "run_stopped":
      return (
        <PopoverClose asChild>
          <Link to="/loop/$run" params={{ run: String(item.run) }} className={row}>
            <Words icon={CircleAlert} tone="text-bad" title={`Run ${item.run} stopped`}>
              {item.note}
            </Words>
          </Link>
        </PopoverClose>
      );
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
        <span className="block text-xs wrap-anywhere text-dim">{children}</span>
      </span>
    </>
  );
}
