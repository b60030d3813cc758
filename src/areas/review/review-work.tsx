import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { commands, type Review, type ReviewComment } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { useKey, useStillHere } from "@/lib/hooks";
import { usePageActions } from "@/lib/page-actions";
import { nameOf, workOf } from "@/lib/work";
import { Button } from "@/ui/button";
import { type DiffHandle, DiffView } from "@/ui/diff/diff-view";
import { LayoutSwitch, useLayout } from "@/ui/diff/layout-switch";
import type { DiffFile } from "@/ui/diff/parse";
import { useWhole } from "@/ui/diff/use-whole";
import { Empty } from "@/ui/state";
import { Accept } from "./accept";
import { FileList } from "./file-list";
import { PullRequest } from "./pull-request";
import { CommitChoice, ReviewHead, useCommit } from "./review-head";
import { SendBack } from "./send-back";
import { useUnderWay } from "./under-way";
import { useReviewDraft } from "./use-review-draft";
import { useViewed } from "./use-viewed";
import { isOpen } from "./words";

type Asking = "accept" | "send_back" | "pull_request" | null;

/** The work with its files, and everything a person can do with it. */
export function ReviewWork({
  review,
  commit,
  files: given,
  notes,
}: {
  review: Review;
  commit: string | null;
  files: readonly DiffFile[];
  notes: string[];
}) {
  const { task, title, base } = review.row;
  const [work, name] = [workOf(review.row), nameOf(review.row)];
  const view = useRef<DiffHandle>(null);
  const [asking, setAsking] = useState<Asking>(null);
  const [layout, turn] = useLayout();
  const { files, whole, onWhole } = useWhole(given, (path) =>
    commands.reviewDiff(work, commit, path).then(({ text }) => text),
  );
  const draft = useReviewDraft(work, commit, useSaid(review), files);
  const marks = useMarks(work, commit, files, view);
  const settle = useSettle(work, name, title, draft.clear);
  const underWay = useUnderWay(review.row);
  const open = isOpen(review.row);
  // Whatever would be decided meanwhile is refused.
  const mayDecide = open && underWay.words === null;

  useReviewKeys({ view, marks, files, onWhole, turn, review, commit, place: draft.remarks.onPlace });
  useKey("a", () => mayDecide && setAsking("accept"));
  // Nobody continues an errand: it has to be ordered again.
  useKey("b", () => mayDecide && task !== null && setAsking("send_back"));
  useKey("d", () => mayDecide && settle.discard());
  useKey("y", () => setAsking("pull_request"));
  usePageActions([
    ...(mayDecide ? [{ words: `Accept ${name}`, go: () => setAsking("accept") }] : []),
    ...(mayDecide && task !== null ? [{ words: `Send ${name} back`, go: () => setAsking("send_back") }] : []),
    ...(mayDecide ? [{ words: `Discard ${name}`, go: () => settle.discard() }] : []),
    { words: "Text of a pull request", go: () => setAsking("pull_request") },
    { words: layout === "split" ? "Difference: inline" : "Difference: side by side", go: turn },
  ]);

  const lines = draft.toSend();
  const { remarks } = draft;
  const said = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { file } of remarks.all) counts.set(file, (counts.get(file) ?? 0) + 1);
    return counts;
  }, [remarks.all]);
  const close = () => setAsking(null);
  return (
    <div className="flex h-full min-h-0 flex-col low:overflow-x-hidden low:overflow-y-auto" data-own-keys>
      <ReviewHead
        review={review}
        actions={<Actions review={review} underWay={underWay} lines={lines.length} onAsk={setAsking} settle={settle} />}
        end={
          <>
            <CommitChoice review={review} commit={commit} />
            <LayoutSwitch layout={layout} onTurn={turn} />
          </>
        }
      />
      {notes.length > 0 && (
        <p className="shrink-0 border-b border-line px-6 py-1.5 text-xs text-warn">{notes.join(" · ")}</p>
      )}
      {files.length === 0 ? (
        <Empty title="Nothing changed">{commit ? "This commit" : "The branch"} has no difference to show.</Empty>
      ) : (
        <div className="flex min-h-0 flex-1 low:min-h-65">
          <FileList files={files} current={marks.current} viewed={marks.seen} said={said} onFile={marks.toFile} />
          <DiffView
            ref={view}
            files={files}
            layout={layout}
            collapsed={marks.collapsed}
            viewed={marks.seen}
            whole={whole}
            acts={{ onCollapse: marks.collapse, onViewed: marks.mark, onWhole: (path) => void onWhole?.(path) }}
            remarks={open ? remarks : undefined}
            onFile={marks.setCurrent}
          />
        </div>
      )}
      {/* Each begins anew: what was refused when it was open before may be mended by now. */}
      {asking === "accept" && (
        <Accept
          onClose={close}
          review={review}
          drafts={lines.length}
          onMerged={({ kept }) => {
            marks.forget();
            const also = kept && `; what was not committed in its worktree is kept as snapshot ${kept}`;
            settle.leave(`${name} is in ${base}${also ?? ""}`);
          }}
        />
      )}
      {asking === "send_back" && task !== null && (
        <SendBack
          onClose={close}
          task={task}
          lines={lines}
          onLeaveOut={draft.leaveOut}
          comment={draft.comment}
          onComment={draft.setComment}
          onSent={() => settle.leave(`#${task} was sent back`)}
        />
      )}
      {asking === "pull_request" && <PullRequest work={work} onClose={close} />}
    </div>
  );
}

function Actions({
  review,
  underWay,
  lines,
  onAsk,
  settle,
}: {
  review: Review;
  underWay: ReturnType<typeof useUnderWay>;
  /** Remarks not sent yet. */
  lines: number;
  onAsk: (what: Asking) => void;
  settle: ReturnType<typeof useSettle>;
}) {
  const stop = useCommand(() => commands.stopMerge(workOf(review.row)));
  const lacks = underWay.words === null ? undefined : `Not now: ${underWay.words}`;
  const off = { disabled: settle.pending, lacks };
  return (
    <>
      {underWay.merging && (
        <Button look="danger" disabled={stop.isPending} onClick={() => stop.mutate(undefined)}>
          Stop merging
        </Button>
      )}
      <Button look="ghost" onClick={() => onAsk("pull_request")} title="Text of a pull request (y)">
        Pull request…
      </Button>
      {review.row.state === "discarded" && (
        <Button look="primary" disabled={settle.pending} onClick={settle.bringBack}>
          Bring back
        </Button>
      )}
      {isOpen(review.row) && (
        <>
          <Button look="danger" {...off} onClick={settle.discard} title="Discard (d)">
            Discard
          </Button>
          {review.row.task !== null && (
            <Button {...off} onClick={() => onAsk("send_back")} title="Send back (b)">
              Send back…
              {lines > 0 && <span className="num rounded bg-accent-soft px-1 text-2xs text-accent">{lines}</span>}
            </Button>
          )}
          <Button look="primary" {...off} onClick={() => onAsk("accept")} title="Accept (a)">
            Accept…
          </Button>
        </>
      )}
    </>
  );
}

/**
 * Remarks on lines: by people, by a reviewing agent, and by Ralph where a document may say something other than what was learnt. Those sent
 * back with the work are among the task's comments.
 */
function useSaid({ comments, by_agent, divergences }: Review): ReviewComment[] {
  return useMemo(() => {
    const findings = by_agent && !by_agent.sent_back ? by_agent.findings : [];
    const found = findings.map(({ file, line, text, weight }) => ({
      file,
      line: line ?? 0,
      text: weight === "must" ? text : `(a note) ${text}`,
      author: "agent" as const,
    }));
    const doubted = divergences.map(({ file, line, text, entry }) => ({
      file,
      line,
      text: `Perhaps not what was learnt: ${text}.${entry && `\nLearnt was: ${entry}`}`,
      author: "system" as const,
    }));
    // Remarks of rows have ids above 0.
    const unsaved = [...found, ...doubted].map((remark, index) => ({ ...remark, id: -1 - index, sent: true }));
    return [...comments, ...unsaved];
  }, [comments, by_agent, divergences]);
}

/** The current file, the viewed files, and the collapsed ones: viewing a file collapses it. */
function useMarks(
  work: string,
  commit: string | null,
  files: readonly DiffFile[],
  view: React.RefObject<DiffHandle | null>,
) {
  const { seen, mark: remember, forget } = useViewed(work, commit, files);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState<string | null>(files[0]?.path ?? null);
  // Collapsed while viewed, unless toggled since.
  const collapsed = useMemo(
    () => new Set(files.map(({ path }) => path).filter((path) => seen.has(path) !== turned.has(path))),
    [files, seen, turned],
  );
  const turnTo = (path: string, on: boolean) =>
    setTurned((before) => new Set(on ? [...before, path] : [...before].filter((other) => other !== path)));
  // Expanding or collapsing a file moves those below it, so scrolling waits until it is drawn.
  const [goal, setGoal] = useState<{ path: string } | null>(null);
  useEffect(() => {
    if (goal) view.current?.toFile(goal.path);
  }, [goal, view]);
  const toFile = useCallback((path: string) => setGoal({ path }), []);
  return {
    seen,
    forget,
    current,
    setCurrent,
    collapsed: collapsed as ReadonlySet<string>,
    collapse: (path: string, on: boolean) => {
      turnTo(path, seen.has(path) !== on);
      toFile(path);
    },
    mark: (path: string, on: boolean) => {
      turnTo(path, false);
      remember(path, on);
      toFile(path);
    },
    toFile,
  };
}

/** The actions that end a review. */
function useSettle(work: string, name: string, title: string, clear: () => void) {
  const navigate = useNavigate();
  const stillHere = useStillHere();
  const tellAndLeave = (words: string, undo?: () => Promise<unknown>) => {
    tellDone(words, undo);
    if (stillHere()) void navigate({ to: "/review" });
  };
  const command = useCommand(() => commands.discardWork(work), {
    // Remarks are kept: the work may return.
    onDone: () => tellAndLeave(`Discarded ${name} ${title}`, () => commands.undoDiscard(work)),
  });
  const back = useCommand(() => commands.undoDiscard(work), { onDone: () => tellDone(`${name} is back`) });
  const pending = command.isPending || back.isPending;
  return {
    leave: (words: string) => {
      clear();
      tellAndLeave(words);
    },
    pending,
    bringBack: () => back.mutate(undefined),
    discard: () => pending || command.mutate(undefined),
  };
}

/** The keys for moving through the work. */
function useReviewKeys({
  view,
  marks,
  files,
  onWhole,
  turn,
  review,
  commit,
  place,
}: {
  view: React.RefObject<DiffHandle | null>;
  marks: ReturnType<typeof useMarks>;
  files: readonly DiffFile[];
  onWhole?: (path: string) => Promise<void>;
  turn: () => void;
  review: Review;
  commit: string | null;
  place: (place: NonNullable<ReturnType<DiffHandle["place"]>>) => void;
}) {
  const here = files.findIndex(({ path }) => path === marks.current);
  const toFile = (index: number) => {
    const file = files[index];
    if (file) marks.toFile(file.path);
  };
  const choose = useCommit(review);
  const toCommit = (by: 1 | -1) => {
    const all = [null, ...review.commits.map(({ id }) => id)];
    const next = all[all.indexOf(commit) + by];
    if (next !== undefined) choose(next);
  };
  useKey("j", () => toFile(here + 1), true);
  useKey("k", () => toFile(here - 1), true);
  useKey("n", () => view.current?.step("change", 1), true);
  useKey("p", () => view.current?.step("change", -1), true);
  useKey("ArrowDown", () => view.current?.step("line", 1), true);
  useKey("ArrowUp", () => view.current?.step("line", -1), true);
  useKey("]", () => toCommit(1), true);
  useKey("[", () => toCommit(-1), true);
  useKey("s", turn);
  useKey("w", () => marks.current !== null && void onWhole?.(marks.current));
  useKey("v", () => {
    if (marks.current === null) return;
    const on = !marks.seen.has(marks.current);
    marks.mark(marks.current, on);
    const next = files.findIndex(({ path }, index) => index > here && !marks.seen.has(path));
    if (on && next >= 0) toFile(next);
  });
  useKey("c", () => {
    const at = view.current?.place();
    if (at) place(at);
  });
}
