import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type EffectFigure, type LearningEffect, queries } from "@/ipc";
import { count } from "@/lib/format";
import { effectWords } from "@/lib/knowledge/effect-words";
import { Badge } from "@/ui/badge";

/** The evidence for a learning: its effect on attempts, feedback on it, and its learned terms. */
export function Evidence({ learning }: { learning: string }) {
  const { data } = useQuery(queries.learningEvidence(learning));
  if (!data) return null;
  const { feedback, useful, not_useful, factor, effect } = data;
  const wasSaid = useful + not_useful > 0;
  const terms = feedback.terms ?? [];
  if (!effect && !wasSaid) return null;
  return (
    <p className="num mt-2 flex max-w-2xl flex-wrap gap-x-3 text-xs text-dim">
      {effect?.harmful && <Badge tone="bad">harmful</Badge>}
      {effect && (
        <span>
          <Rows of={effect} figure="shown">
            Told {count(effect.shown, "attempt")}
          </Rows>
          :{" "}
          <Rows of={effect} figure="succeeded">
            {effect.succeeded} done
          </Rows>
          ,{" "}
          <Rows of={effect} figure="failed">
            {effect.failed} failed
          </Rows>{" "}
          (
          <Rows of={effect} figure="failed_as_warned">
            {effect.failed_as_warned} as it warns
          </Rows>
          ,{" "}
          <Rows of={effect} figure="avoided">
            {effect.avoided} avoided
          </Rows>
          )
        </span>
      )}
      {effect && (
        <span title="Points of success with it against without, 95 % interval">
          <Rows of={effect} figure="compared">
            Effect {effectWords(effect)}
          </Rows>
        </span>
      )}
      {wasSaid && (
        <span>
          Helped {useful}×, did not {not_useful}× · score ×{(factor ?? 1).toFixed(2)}
        </span>
      )}
      {terms.length > 0 && <span>Learned terms: {terms.map(({ term }) => term).join(", ")}</span>}
    </p>
  );
}

/** A figure that opens the attempts it counts. */
function Rows({ of, figure, children }: { of: LearningEffect; figure: EffectFigure; children: ReactNode }) {
  return (
    <Link
      to="/insights/iterations"
      search={{ learning: of.learning, effect: figure }}
      className="hover:text-accent hover:underline"
    >
      {children}
    </Link>
  );
}
