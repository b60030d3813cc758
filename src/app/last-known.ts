import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queries } from "@/ipc";

/** Read by `public/start.js` before the first paint of the next start. */
const KEY = "ralph.last-known";

/** Stores the content of the window's frame, so that the next start shows it while the answers are pending. */
export function useLastKnown(reviews: number): void {
  const { data: project } = useQuery(queries.project());
  const { data: overview } = useQuery(queries.overview());
  useEffect(() => {
    if (!project || !overview) return;
    const known = {
      project: project.name,
      branch: project.branch ?? "",
      features: String(overview.features),
      tasks: String(overview.open_tasks),
      reviews: reviews === 0 ? "" : String(reviews),
      knowledge: String(overview.reviews > 0 ? overview.reviews : overview.learnings),
      needs: overview.needs_you_count.toLocaleString("en-US"),
    };
    localStorage.setItem(KEY, JSON.stringify(known));
  }, [project, overview, reviews]);
}
