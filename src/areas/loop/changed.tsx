import { useQuery } from "@tanstack/react-query";
import { type CheckResult, commands, type Iteration, queries, type RemarkLine } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { count } from "@/lib/format";
import { Dot } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { VirtualList } from "@/ui/virtual-list";

/** The evidence: commits, files, what the check said, and the diff. */
export function Changed({ iteration, remarks }: { iteration: Iteration; remarks: RemarkLine[] }) {
  const { commits, changed_files, check, ralph_files = [], snapshot = null } = iteration.evidence;
  const diff = useQuery({ ...queries.iterationDiff(iteration.id), enabled: iteration.outcome !== "running" });
  if (iteration.outcome === "running") {
    return <Empty title="Still at work">Commits, changed files and the check are read when the iteration ends.</Empty>;
  }
  const changed = commits.length > 0 || changed_files.length > 0;
  const nothing = !changed && !check && remarks.length === 0 && ralph_files.length === 0;
  return (
    <>
      {nothing && <Empty title="Nothing changed">No commit, no changed file outside .ralph, and no check ran.</Empty>}
      {check && <Check check={check} />}
      <GitRemarks remarks={remarks} />
      {ralph_files.length > 0 && <Lines title="Changed below .ralph, and not in force" lines={ralph_files} />}
      {snapshot && <Snapshot name={snapshot} />}
      {commits.length > 0 && <Lines title={count(commits.length, "commit")} lines={commits} />}
      {changed_files.length > 0 && <Lines title={count(changed_files.length, "changed file")} lines={changed_files} />}
      {!nothing && <Result of={diff}>{(text) => (text === "" ? null : <Diff text={text} />)}</Result>}
    </>
  );
}

function Check({ check }: { check: CheckResult }) {
  return (
    <details className="shrink-0 border-b border-line px-5 py-2" open={!check.passed}>
      <summary className="flex items-center gap-2">
        <Dot tone={check.passed ? "ok" : "bad"} />
        <span className="font-mono text-xs">{check.command}</span>
        <span className={cn("num ml-auto", check.passed ? "text-ok" : "text-bad")}>
          {check.passed ? "passed" : check.exit_code === null ? "did not end" : `failed with ${check.exit_code}`}
        </span>
      </summary>
      <pre className="mt-2 max-h-52 overflow-auto font-mono text-xs whitespace-pre-wrap wrap-anywhere text-dim">
        {check.output_tail || "(no output)"}
      </pre>
    </details>
  );
}

/** What git tells beyond commits and files: branches, stash, pushes, a person's uncommitted work. */
function GitRemarks({ remarks }: { remarks: RemarkLine[] }) {
  if (remarks.length === 0) return null;
  return (
    <ul aria-label="What git tells" className="selectable shrink-0 border-b border-line px-5 py-2">
      {remarks.map(({ text, harms, way_back }) => (
        <li key={text} className={cn("wrap-anywhere first-letter:uppercase", harms ? "text-bad" : "text-dim")}>
          {text}
          {way_back !== null && <code className="ml-2 font-mono text-xs text-dim">{way_back}</code>}
        </li>
      ))}
    </ul>
  );
}

/** Uncommitted work of the person's, as it stood before the agent started. */
function Snapshot({ name }: { name: string }) {
  const restore = useCommand(() => commands.restoreSnapshot(name), {
    onDone: ({ written, removed, kept_first }) =>
      tellDone(
        `Your work is back: ${count(written.length + removed.length, "file")}`,
        kept_first === null ? undefined : () => commands.restoreSnapshot(kept_first),
      ),
  });
  return (
    <p className="flex shrink-0 items-center gap-3 border-b border-line px-5 py-2 text-dim">
      Your uncommitted work was kept before the agent started.
      <Button size="sm" disabled={restore.isPending} onClick={() => restore.mutate(undefined)}>
        Put it back
      </Button>
    </p>
  );
}

function Lines({ title, lines }: { title: string; lines: string[] }) {
  return (
    <details className="shrink-0 border-b border-line px-5 py-2" open={lines.length <= 6}>
      <summary className="num font-medium">{title}</summary>
      <ul className="selectable mt-1 max-h-40 overflow-y-auto font-mono text-xs leading-5 text-dim">
        {lines.map((line) => (
          <li key={line} className="truncate">
            {line}
          </li>
        ))}
      </ul>
    </details>
  );
}

function lookOf(line: string): string {
  if (/^(diff --git|index |--- |\+\+\+ |new file|deleted file|rename |similarity )/.test(line))
    return "bg-raised text-dim";
  if (line.startsWith("@@")) return "text-accent";
  if (line.startsWith("+")) return "bg-ok-soft text-ok";
  if (line.startsWith("-")) return "bg-bad-soft text-bad";
  return "";
}

function Diff({ text }: { text: string }) {
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line, number) => ({ line, number }));
  return (
    <VirtualList
      label="Diff"
      items={lines}
      keyOf={({ number }) => number}
      estimate={18}
      render={({ line }) => (
        <pre
          className={cn("min-h-4.5 px-5 font-mono text-xs leading-4.5 whitespace-pre-wrap wrap-anywhere", lookOf(line))}
        >
          {line}
        </pre>
      )}
    />
  );
}
