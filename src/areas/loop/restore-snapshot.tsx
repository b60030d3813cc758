import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { commands, queries, type SnapshotEffect, type SnapshotFile, type SnapshotView } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { ago, count, number } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog } from "@/ui/dialog";
import { useFew } from "@/ui/few";
import { Result } from "@/ui/query";
import { ErrorNote } from "@/ui/state";
import { SnapshotOrigin } from "./snapshot-origin";

/** In display order. */
const EFFECTS: readonly { effect: SnapshotEffect; title: string; note: string; tone: string }[] = [
  {
    effect: "in_the_way",
    title: "In the way",
    note: "What stands there can't be kept in a snapshot, so it is left alone. Move it away to get these back.",
    tone: "text-bad",
  },
  {
    effect: "replaced",
    title: "Replaced",
    note: "Something else stands there now. It is kept as a snapshot first.",
    tone: "text-warn",
  },
  {
    effect: "removed",
    title: "Removed",
    note: "You had deleted these. What stands there now is kept as a snapshot first.",
    tone: "text-warn",
  },
  { effect: "comes_back", title: "Come back", note: "Nothing stands there now.", tone: "" },
  { effect: "unchanged", title: "Already so", note: "They are as the snapshot has them.", tone: "text-dim" },
];

const acts = ({ effect }: SnapshotFile) => effect !== "in_the_way" && effect !== "unchanged";
const takesAway = ({ effect }: SnapshotFile) => effect === "replaced" || effect === "removed";

/** What a snapshot would do to each file, and a choice among them, before anything is done. */
export function RestoreSnapshot({ name, onClose }: { name: string; onClose: () => void }) {
  const view = useQuery(queries.snapshot(name));
  const { data: overview } = useQuery(queries.overview());
  /** By path: what is not to be put back. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const offered = view.data?.files.filter(acts) ?? [];
  const chosen = offered.filter(({ path }) => !left.has(path));
  const blocked = view.data?.files.some(({ effect }) => effect === "in_the_way") ?? false;
  const isWhole = chosen.length === offered.length && !blocked;
  /** Files come along that are not listed, so nothing here can count them or take them back one by one. */
  const hasUnlisted = isWhole && (view.data?.more ?? 0) > 0;
  const restore = useCommand(() => commands.restoreSnapshot(name, isWhole ? [] : chosen.map(({ path }) => path)), {
    errors: "inline",
    onDone: ({ kept_first, written, removed }) => {
      const replaced = chosen.filter(takesAway).map(({ path }) => path);
      const undo =
        kept_first !== null && replaced.length > 0 && !hasUnlisted
          ? () => commands.restoreSnapshot(kept_first, replaced)
          : undefined;
      tellDone(`${count(written.length + removed.length, "file")} put back`, undo);
      onClose();
    },
  });
  const run = overview?.active_run;
  const change = (paths: string[], on: boolean) => {
    const next = new Set(left);
    for (const path of paths) {
      if (on) next.delete(path);
      else next.add(path);
    }
    setLeft(next);
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`Put back what snapshot ${name} holds?`}
      description={view.data && `Files of ${view.data.folder}`}
      onSubmit={() => !run && chosen.length > 0 && !restore.isPending && restore.mutate(undefined)}
      footer={
        <>
          <Button onClick={onClose}>Leave all as it is</Button>
          <Button
            type="submit"
            look={chosen.some(takesAway) ? "danger" : "primary"}
            disabled={!!run || offered.length === 0 || restore.isPending}
            lacks={offered.length > 0 && chosen.length === 0 ? "Choose what to put back" : undefined}
          >
            {restore.isPending ? "Putting back…" : hasUnlisted ? "Put back all" : deed(chosen)}
          </Button>
        </>
      }
    >
      <Result of={view} rows={4}>
        {(found) => (
          <div className="flex flex-col gap-3 pb-1">
            <Taken view={found} />
            {run && (
              <p role="status" className="text-warn">
                <Link to="/loop/$run" params={{ run: String(run.id) }} className="underline underline-offset-2">
                  Run {run.id}
                </Link>{" "}
                is at work. Put files back when it has ended, or stop it first.
              </p>
            )}
            {offered.length === 0 && (
              <p role="status">There is nothing to put back now{found.files.length > 0 ? ", see below" : ""}.</p>
            )}
            {EFFECTS.map(({ effect, ...words }) => (
              <Files
                key={effect}
                {...words}
                files={found.files.filter((file) => file.effect === effect)}
                left={effect === "in_the_way" || effect === "unchanged" ? null : left}
                onChange={change}
              />
            ))}
            {found.more > 0 && (
              <p className="num text-xs text-dim">
                and {number(found.more)} more, which{" "}
                {blocked ? "can be put back once nothing is in the way" : "come along when all of these are chosen"}
              </p>
            )}
            {restore.fault && <ErrorNote fault={restore.fault} />}
          </div>
        )}
      </Result>
    </Dialog>
  );
}

function deed(chosen: SnapshotFile[]): string {
  const replaced = chosen.filter(takesAway).length;
  if (chosen.length === 0) return "Put back";
  const rest = chosen.length - replaced;
  if (replaced === 0) return `Put back ${count(rest, "file")}`;
  return rest === 0 ? `Replace ${count(replaced, "file")}` : `Replace ${number(replaced)}, put back ${number(rest)}`;
}

function Taken({ view: { info } }: { view: SnapshotView }) {
  const now = useNow(60_000);
  return (
    <p className="num text-dim wrap-anywhere">
      {ago(info.made, now)}: <SnapshotOrigin of={info} />
    </p>
  );
}

/** The files to which the same happens; `left` are those that are not chosen, `null` if there is no choice. */
function Files({
  title,
  note,
  tone,
  files,
  left,
  onChange,
}: {
  title: string;
  note: string;
  tone: string;
  files: SnapshotFile[];
  left: ReadonlySet<string> | null;
  onChange: (paths: string[], on: boolean) => void;
}) {
  const [shown, more] = useFew(files);
  if (files.length === 0) return null;
  const paths = files.map(({ path }) => path);
  const on = left === null ? 0 : paths.filter((path) => !left.has(path)).length;
  return (
    <section aria-label={title}>
      <div className="flex items-center gap-2">
        {left !== null && (
          <Checkbox
            label={`All that ${title === "Come back" ? "come back" : `are ${title.toLowerCase()}`}`}
            checked={on === paths.length ? true : on === 0 ? false : "indeterminate"}
            onChange={(next) => onChange(paths, next)}
          />
        )}
        <h3 className={`font-medium ${tone}`}>
          {title} <span className="num text-xs font-normal text-faint">{number(files.length)}</span>
        </h3>
      </div>
      <p className="text-xs text-dim">{note}</p>
      <ul className="mt-1 flex flex-col">
        {shown.map(({ path }) => (
          <li key={path} className="flex min-h-6 items-center gap-2">
            {left !== null && (
              <Checkbox label={path} checked={!left.has(path)} onChange={(next) => onChange([path], next)} />
            )}
            <span className="selectable min-w-0 font-mono text-xs wrap-anywhere">{path}</span>
          </li>
        ))}
      </ul>
      {more}
    </section>
  );
}
