/** Work that waits for review in the sample project, and the answers to commands about it. */
import type { Review, ReviewFile, ReviewRow, Topic } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { parseDiff } from "@/ui/diff/parse";
import { before } from "./builders";
import { LONG_DIFF, REFUND_DIFF, REFUND_WHOLE } from "./sample-diffs";
import type { World } from "./world";

const PASSED = {
  command: "cargo nextest run",
  passed: true,
  exit_code: 0,
  output_tail: "Summary: 42 tests run: 42 passed",
};
const FAILED = {
  command: "cargo nextest run",
  passed: false,
  exit_code: 100,
  output_tail:
    "FAIL auth::limits::counts_per_address\n\n  left: 5\n right: 6\n\nSummary: 42 tests run: 41 passed, 1 failed",
};

const COMMITS = [
  ["4f1c2d9a8b7e6f5d", "refunds: pass the clock in"],
  ["9a8b7c6d5e4f3a2b", "refunds: try again with backoff, at most five times"],
  ["c0ffee12345678ab", "tests: the same key never pays twice"],
].map(([id = "", subject = ""], index) => ({ id, subject, author: "Claude", time: before(50 - index * 9), files: 2 }));

function review(
  row: Pick<ReviewRow, "task" | "errand" | "title" | "branch" | "check" | "standing">,
  diff: string,
  part: Partial<Review> = {},
  state: ReviewRow["state"] = "ready",
): Review {
  const files = parseDiff(diff).files.map(
    ({ path, oldPath, change, added, removed, binary }): ReviewFile => ({
      path,
      old_path: oldPath,
      change,
      added,
      removed,
      binary,
    }),
  );
  const sum = (of: "added" | "removed") => files.reduce((all, file) => all + file[of], 0);
  return {
    row: {
      ...row,
      errand: null,
      base: "main",
      state,
      files: files.length,
      added: sum("added"),
      removed: sum("removed"),
    },
    worktree_path: `/home/dev/.local/share/ralph/worktrees/acme-payments/${row.task}`,
    commits: COMMITS,
    files,
    conflicts: [],
    comments: [],
    by_agent: null,
    divergences: [],
    refusal: null,
    ...part,
  };
}

const CONFLICTS = ["src/auth/limits.rs", "src/auth/session.rs"];

/** The works, and the text of each. */
function sampleReviews(): [Review, string][] {
  const of = (task: number, title: string, slug: string) => ({
    task,
    errand: null,
    title,
    branch: `ralph/${task}-${slug}`,
  });
  const said = { id: 1, author: "agent" as const, sent: true };
  const note = "Say in the comment which clock this is: the provider's or ours.";
  const retry = {
    ...of(208, "Retry refunds that time out", "retry-refunds"),
    check: PASSED,
    standing: "clean" as const,
  };
  const limit = { ...of(221, "Rate limit for sign-in", "rate-limit"), check: FAILED, standing: "conflicts" as const };
  const order = {
    ...of(230, "Keep order of concurrent inserts", "order"),
    check: null,
    standing: "base_moved" as const,
  };
  const tour = { ...of(241, "Skip the tour", "skip-the-tour"), check: PASSED, standing: "clean" as const };
  const conflicts = CONFLICTS.map((path) => ({ path, how: "same_lines" as const }));
  const refusal = {
    code: "conflict" as const,
    message: `Task #221 is not merged: 'main' and 'ralph/221-rate-limit' changed the same lines of ${CONFLICTS.join(", ")}`,
    hint: "Send it back, or settle these files in its worktree and merge it again.",
  };
  return [
    [
      review(retry, REFUND_DIFF, {
        comments: [{ ...said, file: "src/refund/retry.rs", line: 14, text: note }],
        by_agent: {
          errand: 12,
          model: "opus",
          current: true,
          sent_back: false,
          findings: [
            {
              file: "src/refund/retry.rs",
              line: 16,
              weight: "must",
              text: "A refund that was booked meanwhile is tried again.",
            },
          ],
        },
      }),
      REFUND_DIFF,
    ],
    [review(limit, REFUND_DIFF, { conflicts, commits: COMMITS.slice(0, 1), refusal }), REFUND_DIFF],
    [review(order, LONG_DIFF), LONG_DIFF],
    [review(tour, REFUND_DIFF, {}, "discarded"), REFUND_DIFF],
  ];
}

export function reviewHandlers(_world: World, full: boolean, changed: (...topics: Topic[]) => void): Handlers {
  let all = full ? sampleReviews() : [];
  const find = (work: string) => {
    const found = all.find(([{ row }]) => `${row.task}` === work);
    if (!found) throw fault("not_found", `Nothing of #${work} waits for review.`, "See the list of reviews.");
    return found;
  };
  const put = (work: string, state: ReviewRow["state"] | null) => {
    const [review, text] = find(work);
    const rest = all.filter(([{ row }]) => `${row.task}` !== work);
    all = state ? [...rest, [{ ...review, row: { ...review.row, state } }, text]] : rest;
    changed("worktrees", "tasks");
    return null;
  };
  return {
    list_reviews: () => all.map(([{ row }]) => row),
    get_review: (work) => find(work)[0],
    review_diff: (work, commit, path) => {
      const [, text] = find(work);
      if (path !== null) return { text: path === "src/refund/retry.rs" ? REFUND_WHOLE : text, cut: false };
      return { text: commit === null ? text : REFUND_DIFF.slice(0, REFUND_DIFF.indexOf("diff --git", 1)), cut: false };
    },
    merge_work: (work) => {
      const [{ row, conflicts, refusal }] = find(work);
      if (conflicts.length > 0) throw fault("conflict", refusal?.message ?? "", refusal?.hint ?? "");
      put(work, null);
      const { task, errand, branch, base, check } = row;
      return { task, errand, branch, base, commit: "4f1c2e7", check, kept: null };
    },
    stop_merge: () => null,
    discard_work: (work) => put(work, "discarded"),
    undo_discard: (work) => put(work, "ready"),
    send_back_task: ({ task }) => put(`${task}`, null),
    pull_request_text: (work) => ({
      opens: true,
      text: `# ${find(work)[0].row.title}\n\nA refund whose provider call times out was lost. It is tried again with backoff,\nat most five times, and never twice for one idempotency key.\n\n${COMMITS.map(({ subject }) => `- ${subject}`).join("\n")}\n\nChecked by \`cargo nextest run\`: 42 of 42 tests passed.\n`,
    }),
    open_pull_request: (work) => `https://example.org/pull/${work}`,
  };
}
