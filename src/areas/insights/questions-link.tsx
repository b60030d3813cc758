import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { QuestionSearch } from "@/lib/knowledge/question-search";

/** A figure linked to the questions that it counts. */
export function QuestionsLink({ search, children }: { search: QuestionSearch; children: ReactNode }) {
  return (
    <Link
      to="/insights/questions"
      search={search}
      className="inline-flex min-h-6 items-center gap-1 whitespace-nowrap rounded-sm underline decoration-line-strong decoration-dotted underline-offset-3 hover:text-accent hover:decoration-accent"
    >
      {children}
    </Link>
  );
}
