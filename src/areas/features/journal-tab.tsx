import { useQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { queries } from "@/ipc";
import { ago, moment } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";

const PAGE = 200;

/** What happened to the feature's knowledge, newest first: the journal that is the source of truth. */
export function JournalTab({ feature }: { feature: string }) {
  const [limit, setLimit] = useState(PAGE);
  const journal = useQuery(queries.journal(feature, limit));
  const now = useNow(60_000);
  return (
    <Result of={journal}>
      {(entries) =>
        entries.length === 0 ? (
          <Empty icon={ScrollText} title="The journal is empty">
            Every learning, observation, review and prune is written here and is kept with the repository.
          </Empty>
        ) : (
          <div className="px-6 py-3">
            <ol className="border-l border-line">
              {entries.map((entry) => (
                <li key={entry.id} className="relative flex gap-4 py-1.5 pl-5">
                  <span
                    aria-hidden="true"
                    className="absolute top-3.5 -left-[3.5px] size-1.5 rounded-full bg-line-strong"
                  />
                  <time
                    dateTime={entry.at}
                    title={moment(entry.at)}
                    className="num w-20 shrink-0 text-xs leading-5 text-faint"
                  >
                    {ago(entry.at, now)}
                  </time>
                  <span className="w-24 shrink-0 text-xs leading-5 text-dim">{entry.event.replaceAll("_", " ")}</span>
                  <span className="selectable min-w-0 wrap-anywhere">{entry.summary}</span>
                </li>
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
