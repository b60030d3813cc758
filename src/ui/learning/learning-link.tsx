import { Link } from "@tanstack/react-router";
import type { FeatureLearning } from "@/ipc";
import { cn } from "@/lib/cn";
import { firstLine, needleOf } from "@/lib/format";
import { stateWord } from "@/lib/words";

/** A learning in one line, linked to where it can be read and changed. */
export function LearningLink({ learning, className }: { learning: FeatureLearning; className?: string }) {
  const { feature, state, text } = learning;
  return (
    <Link
      to="/features/$name"
      params={{ name: feature }}
      search={{ q: needleOf(text), state: state === "active" ? undefined : [state] }}
      className={cn("block min-h-6 truncate leading-6 hover:text-accent", className)}
    >
      {firstLine(text)}
      {state !== "active" && <span className="text-faint"> · {stateWord[state].toLowerCase()}</span>}
    </Link>
  );
}
