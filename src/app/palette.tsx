import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Dialog } from "radix-ui";
import { type ReactNode, useEffect, useState } from "react";
import { commands, pickTarget, queries, type Task } from "@/ipc";
import { tellDone, tellFault } from "@/lib/command";
import { needleOf } from "@/lib/format";
import { useDrawn, useFocusReturn } from "@/lib/hooks";
import { useActiveRuns } from "@/lib/loop/at-work";
import { steer, stopAll } from "@/lib/loop/steer";
import { useOfferedActions } from "@/lib/page-actions";
import { setTheme } from "@/lib/theme";
import { errandWord, runStateWord, strategyWord } from "@/lib/words";
import { nameOf, workOf } from "@/lib/work";
import { zoom } from "@/lib/zoom";
import { Acronym } from "@/ui/acronym";
import { StatusMark } from "@/ui/task/task-mark";

/** Maximum rows per group: the palette is for navigation, not for reading lists. */
const MAX_ROWS = 8;
/** While nothing is typed: what is visible without scrolling, so that the palette opens fast. */
const OFFERED_ROWS = 5;

/** Sections of the settings by their titles, each with further words that people may search for. */
const SETTINGS = [
  ["Agent", "model permissions program claude codex opencode"],
  ["Limits of a run", "budget dollars minutes iterations"],
  ["When a task is done", "check command"],
  ["Automatic learning", "mode extractor"],
  ["Health", "doctor trust git database"],
  ["Search index", "rebuild vectors embedding"],
  ["Notifications", "announcements desktop"],
  ["Privacy", "data sent address"],
  ["Export", "backup copy json"],
] as const;

/** Time enough for some frames. */
const REHEARSED_MILLIS = 500;

/** Rendering is done only for the few rows shown; `words` are in lower case, `id` is the number that it is called by. */
type Entry = { key: string; id?: number; words: string; show: () => ReactNode; go: () => void };
type Group = { title: string; entries: Entry[]; quiet?: boolean };

/** The first entries with every word, preceded by the one with exactly that number; then the search stops. */
function firstHits(entries: readonly Entry[], needles: readonly string[]): Entry[] {
  const most = needles.length === 0 ? OFFERED_ROWS : MAX_ROWS;
  const isHit = ({ words }: Entry) => needles.every((needle) => words.includes(needle));
  const numbers = needles.map((needle) => Number(needle.replace(/^#/, "")));
  const called = entries.find((entry) => entry.id !== undefined && numbers.includes(entry.id) && isHit(entry));
  const hits = called ? [called] : [];
  for (const entry of entries) {
    if (entry !== called && isHit(entry)) hits.push(entry);
    if (hits.length === most) break;
  }
  return hits;
}

/**
 * Opened, or rehearsed: drawn as it opens, where nobody sees it and nothing can reach it. Then its code has run and its letters are known,
 * and React, which would make the first opening wait for 300 ms as for anything that it showed no content for yet, has drawn it before.
 */
export function Palette({
  open,
  onRehearsed,
  onClose,
  onKeys,
}: {
  open: boolean;
  onRehearsed: () => void;
  onClose: () => void;
  onKeys: () => void;
}) {
  const focus = useFocusReturn(open);
  useEffect(() => {
    if (open) return;
    const timer = setTimeout(onRehearsed, REHEARSED_MILLIS);
    return () => clearTimeout(timer);
  }, [open, onRehearsed]);
  if (!open) {
    return (
      <div inert aria-hidden="true" className="invisible fixed top-[14vh] left-1/2 w-xl overflow-hidden">
        <Entries onClose={onClose} onKeys={onKeys} unseen />
      </div>
    );
  }
  return (
    // Not modal for Radix, which would lock the page's scrolling and pointer by styles: each makes the browser restyle all of it.
    // The overlay takes the pointer, and the field is the only control.
    <Dialog.Root open={open} modal={false} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Content
          {...focus}
          aria-modal="true"
          aria-describedby={undefined}
          onKeyDown={(event) => event.key === "Tab" && event.preventDefault()}
          className="pop fixed top-[14vh] left-1/2 z-50 w-[calc(100vw-3rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-xl border border-line-strong bg-panel shadow-pop outline-none"
        >
          <Dialog.Title className="sr-only">Search everything</Dialog.Title>
          <Entries onClose={onClose} onKeys={onKeys} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Entries({
  onClose,
  onKeys,
  unseen = false,
}: {
  onClose: () => void;
  onKeys: () => void;
  /** Drawn invisibly, without requests to the shell. */
  unseen?: boolean;
}) {
  const [text, setText] = useState("");
  const needles = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = useGroups(onKeys, needles, unseen);
  return (
    <Command shouldFilter={false} loop label="Search everything">
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="Search features, tasks, learnings, runs and actions"
        className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-8 text-center text-dim">Nothing has these words.</Command.Empty>
        {groups.map(({ title, entries, quiet }) => {
          const shown = needles.length === 0 && quiet ? [] : firstHits(entries, needles);
          if (shown.length === 0) return null;
          return (
            <Command.Group
              key={title}
              heading={title}
              className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint"
            >
              {shown.map((entry) => (
                <Command.Item
                  key={entry.key}
                  value={entry.key}
                  onSelect={() => {
                    onClose();
                    entry.go();
                  }}
                  className="flex h-8 items-center gap-2.5 rounded-md px-2.5 data-[selected=true]:lit"
                >
                  {entry.show()}
                </Command.Item>
              ))}
            </Command.Group>
          );
        })}
      </Command.List>
    </Command>
  );
}

async function exportProject(): Promise<void> {
  try {
    const path = await pickTarget("Export to", "ralph-export.json");
    if (path !== null) tellDone(`Exported to ${await commands.exportProject(path)}`);
  } catch (error) {
    tellFault(error);
  }
}

/** Rows of entities are cached until the entities change: typing, and the next opening, only select among them. */
function entriesOf<T>(
  go: object,
  all: readonly T[] | undefined,
  entry: (one: T) => Entry,
  inOrder: (all: readonly T[]) => readonly T[] = (all) => all,
): Entry[] {
  if (!all) return [];
  const known = made.get(all);
  if (known?.go === go) return known.entries;
  const entries = inOrder(all).map((one) => {
    const fresh = entry(one);
    return { ...fresh, words: fresh.words.toLowerCase() };
  });
  made.set(all, { go, entries });
  return entries;
}
/** Keyed by the answer that they were made from, with which they are dropped, and by the router that they navigate with. */
const made = new WeakMap<readonly unknown[], { go: object; entries: Entry[] }>();

/** What can be worked on now comes before what waits, and that before what is over. */
const readyFirst = (tasks: readonly Task[]): Task[] => {
  const rank = ({ readiness }: Task) => (readiness === "ready" ? 0 : readiness === "closed" ? 2 : 1);
  return [...tasks].sort((a, b) => rank(a) - rank(b));
};

function useGroups(onKeys: () => void, needles: string[], unseen: boolean): Group[] {
  const searching = needles.length > 0;
  const navigate = useNavigate();
  const here = useOfferedActions();
  const { data: overview } = useQuery(queries.overview());
  const { data: features } = useQuery(queries.features());
  // Thousands of them would delay the first frame.
  const { data: tasks } = useQuery({ ...queries.tasks({}), enabled: useDrawn() && !unseen });
  // Lists that are only searched are fetched with the first letter; of the longest only entries with the words.
  const { data: learnings } = useQuery({ ...queries.learningsWith(needles, MAX_ROWS), enabled: searching });
  const { data: reviews } = useQuery({ ...queries.reviews(), enabled: searching });
  const { data: runs } = useQuery({ ...queries.runs(), enabled: searching });
  const { data: errands } = useQuery({ ...queries.errands(), enabled: searching });
  const { data: disciplines } = useQuery({ ...queries.disciplines(), enabled: searching });

  const action = (words: string, go: () => void, also = ""): Entry => ({
    key: `action ${words}`,
    words: `${words} ${also}`.toLowerCase(),
    show: () => words,
    go,
  });
  const active = useActiveRuns();
  const [run] = active;
  const errandsAtWork = overview?.errands_at_work ?? [];
  const control = (what: "pause" | "none" | "stop_after" | "stop_now") => () => {
    if (run) void steer(what, run.id, null);
  };
  const actions = [
    ...(run
      ? [
          run.control === "none"
            ? action("Pause the loop", control("pause"))
            : action("Resume the loop", control("none")),
          action("Stop the loop after this iteration", control("stop_after")),
          action("Stop the loop now", control("stop_now")),
        ]
      : [action("Start the loop", () => void navigate({ to: "/loop" }))]),
    // The one above stops the run at the top of the window alone.
    ...(active.length + errandsAtWork.length > (run ? 1 : 0)
      ? [action("Stop every run and errand now", () => stopAll(active, errandsAtWork), "everything all agents")]
      : []),
    action("New task", () => void navigate({ to: "/tasks", search: { new: true } })),
    action("New tasks from a list", () => void navigate({ to: "/tasks", search: { import: true } }), "import plan"),
    action("New feature", () => void navigate({ to: "/features", search: { new: true } })),
    action("Review conflicts", () => void navigate({ to: "/knowledge", search: { tab: "review" } })),
    action(
      "Merge learnings that say the same thing",
      () => void navigate({ to: "/knowledge", search: { tab: "merge" } }),
    ),
    action("Questions that were asked", () => void navigate({ to: "/insights/questions" })),
    action("Iterations of all runs", () => void navigate({ to: "/insights/iterations" })),
    action("Go to Features", () => void navigate({ to: "/features" })),
    action("Go to Tasks", () => void navigate({ to: "/tasks" })),
    action("Task graph", () => void navigate({ to: "/tasks", search: { view: "graph" } })),
    action("Go to Loop", () => void navigate({ to: "/loop" })),
    action("Go to Review", () => void navigate({ to: "/review" })),
    action("Go to Knowledge", () => void navigate({ to: "/knowledge" })),
    action("Go to Insights", () => void navigate({ to: "/insights" })),
    action("Label what answers a question", () => void navigate({ to: "/insights/label" })),
    action("Go to Needs you", () => void navigate({ to: "/needs-you" })),
    action("Go to Settings", () => void navigate({ to: "/settings" })),
    ...SETTINGS.map(([part, also]) =>
      action(`Settings: ${part}`, () => void navigate({ to: "/settings", search: { part } }), also),
    ),
    action("Worktrees", () => void navigate({ to: "/settings", search: { tab: "worktrees" } })),
    action(
      "Snapshots of uncommitted work",
      () => void navigate({ to: "/loop/snapshots" }),
      "restore put back kept lost",
    ),
    action("Failed iterations", () => void navigate({ to: "/insights/iterations", search: { result: "failed" } })),
    action("Ready tasks", () => void navigate({ to: "/tasks", search: { ready: true } })),
    action("Failed tasks", () => void navigate({ to: "/tasks", search: { status: ["failed"] } })),
    action("Settled notices", () => void navigate({ to: "/needs-you", search: { settled: true } })),
    action("Blocked tasks", () => void navigate({ to: "/tasks", search: { status: ["blocked"] } })),
    action("Facts and episodes", () => void navigate({ to: "/knowledge", search: { tab: "memories" } })),
    action("Parked learnings", () => void navigate({ to: "/knowledge", search: { tab: "review", part: "parked" } })),
    action("Consolidate proven learnings", () => void navigate({ to: "/knowledge", search: { tab: "consolidate" } })),
    action("Audit what agents are told", () => void navigate({ to: "/knowledge", search: { tab: "audit" } })),
    action("Documents", () => void navigate({ to: "/knowledge", search: { tab: "documents" } })),
    action("Export the project", () => void exportProject()),
    action("Open another project", () => void navigate({ to: "/projects" })),
    action("Theme: light", () => setTheme("light")),
    action("Theme: dark", () => setTheme("dark")),
    action("Theme: same as the desktop", () => setTheme("system")),
    action("Zoom in", () => zoom("in")),
    action("Zoom out", () => zoom("out")),
    action("Zoom to actual size", () => zoom("actual")),
    action("Show keyboard shortcuts", onKeys),
  ];
  const onPage = here.map(({ words, go }) => ({ ...action(words, go), key: `page ${words}` }));
  return [
    { title: "On this page", entries: onPage },
    { title: "Actions", entries: actions },
    {
      title: "Features",
      entries: entriesOf(navigate, features, ({ feature }) => ({
        key: `feature ${feature.name}`,
        words: `${feature.display_name} ${feature.name} ${feature.acronym}`,
        show: () => (
          <>
            <Acronym>{feature.acronym}</Acronym>
            <span className="truncate">{feature.display_name}</span>
          </>
        ),
        go: () => void navigate({ to: "/features/$name", params: { name: feature.name } }),
      })),
    },
    {
      title: "Tasks",
      entries: entriesOf(
        navigate,
        tasks,
        (task) => ({
          key: `task ${task.id}`,
          id: task.id,
          words: `#${task.id} ${task.title} ${task.feature}`,
          show: () => (
            <>
              <StatusMark status={task.status} />
              <span className="num text-faint">#{task.id}</span>
              <span className="truncate">{task.title}</span>
            </>
          ),
          go: () => void navigate({ to: "/tasks/$id", params: { id: String(task.id) } }),
        }),
        readyFirst,
      ),
    },
    {
      title: "Reviews",
      quiet: true,
      entries: entriesOf(navigate, reviews, (row) => ({
        key: `review ${workOf(row)}`,
        id: row.task ?? undefined,
        words: `review ${nameOf(row)} ${row.title} ${row.branch}`,
        show: () => (
          <>
            <span className="num text-faint">{nameOf(row)}</span>
            <span className="truncate">{row.title}</span>
            <span className="ml-auto truncate font-mono text-2xs text-faint">{row.branch}</span>
          </>
        ),
        go: () => void navigate({ to: "/review/$task", params: { task: workOf(row) } }),
      })),
    },
    {
      title: "Learnings",
      quiet: true,
      entries: entriesOf(navigate, learnings, (learning) => ({
        key: `learning ${learning.id}`,
        words: `${learning.text} ${learning.tags.join(" ")} ${learning.feature}`,
        show: () => <span className="truncate">{learning.text}</span>,
        go: () =>
          void navigate({
            to: "/features/$name",
            params: { name: learning.feature },
            search: { q: needleOf(learning.text) },
          }),
      })),
    },
    {
      title: "Runs",
      quiet: true,
      entries: entriesOf(navigate, runs, (one) => ({
        key: `run ${one.id}`,
        id: one.id,
        words: `run ${one.id} ${one.model} ${runStateWord[one.state]}`,
        show: () => (
          <>
            <span className="num">Run {one.id}</span>
            <span className="text-faint">{one.model || strategyWord[one.strategy]}</span>
          </>
        ),
        go: () => void navigate({ to: "/loop/$run", params: { run: String(one.id) } }),
      })),
    },
    {
      title: "Errands",
      quiet: true,
      entries: entriesOf(navigate, errands, ({ id, kind, title }) => ({
        key: `errand ${id}`,
        id,
        words: `errand ${id} ${errandWord[kind]} ${title}`,
        show: () => (
          <>
            <span className="num">Errand {id}</span>
            <span className="truncate text-faint">{title}</span>
          </>
        ),
        go: () => void navigate({ to: "/loop/errands/$errand", params: { errand: String(id) } }),
      })),
    },
    {
      title: "Disciplines",
      quiet: true,
      entries: entriesOf(navigate, disciplines, ({ name, display_name }) => ({
        key: `discipline ${name}`,
        words: `discipline ${display_name} ${name}`,
        show: () => <span className="truncate">{display_name}</span>,
        go: () => void navigate({ to: "/settings" }),
      })),
    },
  ];
}
