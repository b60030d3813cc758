import { useQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { type JournalEntry, queries } from "@/ipc";
import { ago, moment } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { folded } from "@/lib/knowledge/journal";
import { eventWord } from "@/lib/knowledge/knowledge-words";
import { Button } from "@/ui/button";
import { LearningLink } from "@/ui/learning/learning-link";
import { idsIn, type LearningsById, useLearningsById, WithNames } from "@/ui/learning/with-names";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { SaturationOverTime } from "./saturation-over-time";

const PAGE = 200;

/** The feature's journal, the source of truth for its knowledge; newest first. */
export function JournalTab({ feature }: { feature: string }) {
  const [limit, setLimit] = useState(PAGE);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const journal = useQuery(queries.journal(feature, limit));
  const known = useLearningsById(
    (journal.data ?? []).flatMap(({ learning, summary }) => [...(learning ? [learning] : []), ...idsIn(summary)]),
  );
  return (
    <Result of={journal}>
      {(entries) =>
        entries.length === 0 ? (
          <Empty icon={ScrollText} title="The journal is empty">
            Every learning, observation, review and prune is written here and is kept with the repository.
          </Empty>
        ) : (
          <div className="px-6 py-3">
            <SaturationOverTime feature={feature} />
            <ol className="border-l border-line">
              {folded(entries, open).map(({ entry, more }) => (
                <Entry
                  key={entry.id}
                  entry={entry}
                  known={known}
                  more={more}
                  onMore={() => setOpen(new Set([...open, entry.id]))}
                />
              ))}
            </ol>
            {entries.length >= limit && (
              <Button className="mt-3" onClick={() => setLimit(limit + PAGE)}>
                Show earlier
              </Button>
            )}
          </div>
        )
      }
    </Result>
  );
}

/** Events whose summary quotes the learning itself. */
const TOLD_WHOLE = ["learned", "moved_in"];

function Entry({
  entry,
  known,
  more,
  onMore,
}: {
  entry: JournalEntry;
  known: LearningsById | undefined;
  more: number;
  onMore: () => void;
}) {
  const now = useNow(60_000);
  const about = entry.learning && !TOLD_WHOLE.includes(entry.event) ? known?.get(entry.learning) : undefined;
  return (
    <li className="relative flex gap-4 py-1.5 pl-5">
      <span aria-hidden="true" className="absolute top-3.5 -left-[3.5px] size-1.5 rounded-full bg-line-strong" />
      <time dateTime={entry.at} title={moment(entry.at)} className="num w-20 shrink-0 text-xs leading-5 text-faint">
        {ago(entry.at, now)}
      </time>
      <span className="w-28 shrink-0 text-xs leading-5 text-dim">
        {eventWord[entry.event] ?? entry.event.replaceAll("_", " ")}
      </span>
      <div className="min-w-0">
        <p className="selectable wrap-anywhere">
          <WithNames text={entry.summary} known={known} />
        </p>
        {about && <LearningLink learning={about} className="text-xs text-dim" />}
        {more > 0 && (
          <button type="button" className="num text-xs text-accent hover:underline" onClick={onMore}>
            {more} more like this
          </button>
        )}
      </div>
    </li>
  );
}
