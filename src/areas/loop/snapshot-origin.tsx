import { Link } from "@tanstack/react-router";
import type { SnapshotInfo } from "@/ipc";

/** What it holds, according to what it is named after. */
export function SnapshotOrigin({ of: { iteration, errand } }: { of: SnapshotInfo }) {
  // In a row above the row's own link, which covers it.
  const look = "relative z-10 hover:text-text hover:underline";
  if (iteration) {
    const { id, run, task, task_title, before } = iteration;
    return (
      <>
        {before ? "your work before " : "kept around "}
        <Link
          to="/loop/$run/$iteration"
          params={{ run: String(run), iteration: String(id) }}
          search={{ tab: "changed" }}
          className={look}
        >
          iteration {id}
        </Link>
        {" on "}
        <Link to="/tasks/$id" params={{ id: String(task) }} className={look}>
          #{task} {task_title}
        </Link>
      </>
    );
  }
  if (errand !== null) {
    return (
      <>
        kept around{" "}
        <Link to="/loop/errands/$errand" params={{ errand: String(errand) }} className={look}>
          errand {errand}
        </Link>
      </>
    );
  }
  return "of an iteration that this database does not know: another project of this repository kept it";
}
