import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "@/ipc";
import { effectWords } from "@/lib/effect-words";
import { count } from "@/lib/format";
import { Badge } from "@/ui/badge";

/** What is known of a learning's use: what it did for attempts, what was said of it, the words learned for it. */
export function Evidence({ learning }: { learning: string }) {
  const { data } = useQuery(queries.learningEvidence(learning));
  if (!data) return null;
  const { feedback, factor, effect } = data;
  const said = feedback.validations ?? [];
  const terms = feedback.terms ?? [];
  if (!effect && said.length === 0) return null;
  return (
    <p className="num mt-2 flex max-w-2xl flex-wrap gap-x-3 text-xs text-dim">
      {effect?.harmful && <Badge tone="bad">harmful</Badge>}
      {effect && (
        <Link
          to="/insights/iterations"
          search={{ learning, memory: "told", attempts: true }}
          className="hover:text-accent hover:underline"
        >
          Told {count(effect.shown, "attempt")}: {effect.succeeded} done, {effect.failed} failed
        </Link>
      )}
      {effect && (
        <span title="Points of success with it against without, 95 % interval">Effect {effectWords(effect)}</span>
      )}
      {said.length > 0 && (
        <span>
          Helped {said.filter(({ useful }) => useful).length}×, did not {said.filter(({ useful }) => !useful).length}× ·
          score ×{(factor ?? 1).toFixed(2)}
        </span>
      )}
      {terms.length > 0 && <span>Learned terms: {terms.map(({ term }) => term).join(", ")}</span>}
    </p>
  );
}
