import { useRef, useState } from "react";
import { useKey } from "@/lib/hooks";
import { Counts } from "./counts";
import { type DiffHandle, DiffView } from "./diff-view";
import { LayoutSwitch, useLayout } from "./layout-switch";
import { useDiff } from "./use-diff";

const NOTHING: ReadonlySet<string> = new Set();
const NO_FILE: ReadonlyMap<string, true | null> = new Map();

/**
 * A diff for reading, without remarks and marks. It does not count files, because the surrounding page does; it names those in `changed`
 * that the diff lacks because they were never committed.
 */
export function DiffOf({ text, changed }: { text: string; changed: readonly string[] }) {
  const { files, notes, complete } = useDiff(text);
  const held = new Set(files.flatMap(({ path, oldPath }) => [path, oldPath]));
  // A truncated diff says nothing about the files that it lacks.
  const apart = !complete || notes.length > 0 ? [] : changed.filter((path) => !held.has(path));
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(NOTHING);
  const [layout, turn] = useLayout();
  const view = useRef<DiffHandle>(null);
  useKey("n", () => view.current?.step("change", 1), true);
  useKey("p", () => view.current?.step("change", -1), true);
  useKey("s", turn);
  const onCollapse = (path: string, on: boolean) =>
    setCollapsed((before) => new Set(on ? [...before, path] : [...before].filter((other) => other !== path)));
  const sum = (of: "added" | "removed") => files.reduce((all, file) => all + file[of], 0);
  return (
    <div className="flex min-h-60 flex-1 flex-col">
      <div className="flex h-9 shrink-0 items-center gap-3 px-6 text-dim">
        {complete && <Counts added={sum("added")} removed={sum("removed")} />}
        {apart.length > 0 && (
          <span className="min-w-0 truncate" title={apart.join("\n")}>
            Not committed: {apart.join(", ")}
          </span>
        )}
        {notes.length > 0 && <span className="truncate text-warn">{notes.join(" · ")}</span>}
        <span className="ml-auto">
          <LayoutSwitch layout={layout} onTurn={turn} />
        </span>
      </div>
      <DiffView
        ref={view}
        files={files}
        layout={layout}
        collapsed={collapsed}
        viewed={NOTHING}
        whole={NO_FILE}
        acts={{ onCollapse }}
      />
    </div>
  );
}
