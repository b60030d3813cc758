import { Link } from "@tanstack/react-router";
import { Undo2 } from "lucide-react";
import { commands, type LearnedTermRow } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { ago, percent } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Section } from "@/ui/page";
import { PageRows } from "@/ui/virtual-list";
import { QuestionsLink } from "./questions-link";

/** Learned terms: words that find a learning because it was selected for a question with that word. */
export function Terms({ terms, noise }: { terms: LearnedTermRow[]; noise: number | null }) {
  const now = useNow(60_000);
  const back = useCommand(async ({ learning, term }: { learning: string; term: string }) => {
    await commands.unlearn(learning, term);
    tellDone(`${term} is taken back`);
  });
  if (terms.length === 0) return null;
  const newest = terms.toSorted((one, other) => other.learnt.localeCompare(one.learnt));
  return (
    <Section
      title="Learned terms"
      note={`they fade within thirty days${noise === null ? "" : `; ${percent(noise)} bring what nobody chooses`}`}
    >
      <PageRows
        label="Learned terms"
        className="num max-w-3xl"
        items={newest}
        keyOf={(row) => `${row.learning} ${row.term}`}
        estimate={37}
        render={(row) => (
          <div className="flex items-center gap-3 border-t border-line py-1">
            <Link
              to="/knowledge"
              search={{ q: row.term }}
              className="w-32 shrink-0 truncate py-0.5 font-mono text-xs hover:text-accent"
              title={`What ${row.term} finds`}
            >
              {row.term}
            </Link>
            <span className="min-w-0 flex-1 truncate text-xs text-dim">
              by {row.by.split(":")[0]}, {ago(row.learnt, now)} ·{" "}
              <QuestionsLink search={{ learning: row.learning, term: row.term }}>brought it {row.added}×</QuestionsLink>{" "}
              ·{" "}
              <QuestionsLink search={{ learning: row.learning, term: row.term, chosen: true }}>
                chosen since {row.confirmed}×
              </QuestionsLink>{" "}
              · strength {percent(row.strength)}
            </span>
            {row.noise && <Badge tone="warn">noise</Badge>}
            <Button
              size="sm"
              look="ghost"
              aria-label={`Take back ${row.term}`}
              disabled={back.isPending}
              onClick={() => back.mutate(row)}
            >
              <Undo2 size={13} aria-hidden="true" /> Take back
            </Button>
          </div>
        )}
      />
    </Section>
  );
}
