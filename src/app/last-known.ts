import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queries } from "@/ipc";
import { number } from "@/lib/format";

/** Read by `public/start.js` before the first paint of the next start: what is known about each project, by its path. */
const KEY = "ralph.last-known";
/** The path of the open project, for a reload of this window: the shell names only the one that it began with. */
const OPEN = "ralph.open";
/** Number of projects that something is kept about, the last opened ones. */
const KEPT = 8;

type Known = Record<string, string>;

/** Puts what is known about a project before what is kept about the others. */
function keep(path: string, known: Known): void {
  let all: Record<string, unknown> = {};
  try {
    all = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    // Damaged: it is only a picture of the last session, and is written again.
  }
  const others = Object.entries(all).filter(([other, value]) => other !== path && typeof value === "object");
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries([[path, known], ...others.slice(0, KEPT - 1)])));
    sessionStorage.setItem(OPEN, path);
  } catch {
    // No room: the next start shows its frame without counts.
  }
}

/** Stores the content of the window's frame, so that the next start on this project shows it while the answers are pending. */
export function useLastKnown(reviews: number): void {
  const { data: project } = useQuery(queries.project());
  const { data: overview } = useQuery(queries.overview());
  useEffect(() => {
    if (!project || !overview) return;
    keep(project.path, {
      project: project.name,
      branch: project.branch ?? "",
      features: number(overview.features),
      tasks: number(overview.open_tasks),
      reviews: reviews === 0 ? "" : String(reviews),
      knowledge: number(overview.reviews > 0 ? overview.reviews : overview.learnings),
      needs: number(overview.needs_you_count),
    });
  }, [project, overview, reviews]);
}
