import { Link } from "@tanstack/react-router";
import type { FeatureLearning } from "@/ipc";
import { cn } from "@/lib/cn";
import { firstLine } from "@/lib/format";
import { stateWord } from "@/lib/words";

/** Characters of a learning that suffice to find it on its feature's page. */
const NEEDLE_CHARS = 60;

/** A learning in one line, linked to where it can be read and changed. */
export function LearningLink({ learning, className }: { learning: FeatureLearning; className?: string }) {
  const { feature, state, text } = learning;
  return (
    <Link
      to="/features/$name"
      params={{ name: feature }}
      search={{ q: firstLine(text).slice(0, NEEDLE_CHARS), state: state === "active" ? undefined : [state] }}
      className={cn("block min-h-6 truncate leading-6 hover:text-accent", className)}
    >
      {firstLine(text)}
      {state !== "active" && <span className="text-faint"> · {stateWord[state].toLowerCase()}</span>}
    </Link>
  );
}
