import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";

/** The heading of a page with the rows behind a figure, with a link back. */
export function BehindInsights({ title }: { title: string }) {
  return (
    <h1 className="flex items-center gap-1.5 text-lg font-semibold tracking-tight">
      <Link to="/insights" className="font-normal text-dim hover:text-text">
        Insights
      </Link>
      <ChevronRight size={14} className="text-faint" aria-hidden="true" />
      {title}
    </h1>
  );
}
