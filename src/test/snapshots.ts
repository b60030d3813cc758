/** Snapshots of the sample project. */
import type { SnapshotFile, SnapshotInfo } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { before } from "./builders";

const SNAPSHOTS: SnapshotInfo[] = [
  {
    name: "104",
    made: before(14),
    iteration: { id: 104, run: 38, task: 208, task_title: "Retry refunds that time out", before: true },
    errand: null,
  },
  { name: "e3", made: before(60 * 5), iteration: null, errand: 3 },
];

const FILES: SnapshotFile[] = [
  { path: "src/refund/window.rs", effect: "replaced" },
  { path: "notes.md", effect: "comes_back" },
  { path: "docs/refunds.md", effect: "comes_back" },
  { path: "README.md", effect: "unchanged" },
];

export function snapshotHandlers(full: boolean): Handlers {
  const all = full ? SNAPSHOTS : [];
  const known = (name: string) => {
    const found = all.find((one) => one.name === name);
    if (!found)
      throw fault("not_found", `There is no snapshot '${name}'.`, "list what there is with `ralph snapshot list`");
    return found;
  };
  return {
    list_snapshots: () => all,
    get_snapshot: (name) => ({ info: known(name), folder: "/home/ada/pay", files: FILES, more: 0 }),
    restore_snapshot: (name, files) => ({
      name,
      written: files.length > 0 ? files : FILES.filter(({ effect }) => effect !== "unchanged").map(({ path }) => path),
      removed: [],
      kept_first: `${name}.1`,
    }),
  };
}
