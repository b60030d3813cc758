import { Link } from "@tanstack/react-router";
import { commands, type Notice } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { ago } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { noticeSource } from "@/lib/words";
import { Button } from "@/ui/button";
import { FactLine } from "@/ui/fact-line";
import { idsIn, useLearningsById, WithNames } from "@/ui/learning/with-names";
import { Said } from "@/ui/said";

/** A notice with the details that a person needs to decide, and the possible decisions. */
export function NoticeRow({
  notice,
  holds = false,
}: {
  notice: Notice /** Nothing is merged until it is settled. */;
  holds?: boolean;
}) {
  const now = useNow(60_000);
  const known = useLearningsById(idsIn(`${notice.title} ${notice.detail}`));
  const proposal = notice.kind === "proposal";
  const settle = useCommand((accept: boolean) => commands.settleNotice(notice.id, accept), {
    onDone: ({ accepted }) => {
      // What an accepted proposal changed can be undone by itself.
      const back = proposal && accepted ? undefined : () => commands.reopenNotice(notice.id);
      tellDone(holds ? "Marked as seen: Ralph merges again" : said(proposal, accepted === true), back);
    },
  });
  return (
    <article
      data-row
      tabIndex={-1}
      className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-4 border-b border-line px-6 py-3 hover:bg-hover"
    >
      <div className="selectable min-w-0">
        <p className="font-medium wrap-anywhere">
          <WithNames text={notice.title} known={known} />
        </p>
        {notice.detail !== "" && (
          <p className="mt-1 max-h-64 max-w-3xl overflow-y-auto wrap-anywhere whitespace-pre-wrap text-dim">
            <Said text={notice.detail} words={(part) => <WithNames text={part} known={known} />} />
          </p>
        )}
        <FactLine className="mt-1">
          {noticeSource[notice.kind]}
          {notice.task !== null && (
            <Link to="/tasks/$id" params={{ id: String(notice.task) }} className="hover:text-text">
              task #{notice.task}
            </Link>
          )}
          {notice.run !== null && notice.iteration !== null && (
            <Link
              to="/loop/$run/$iteration"
              params={{ run: String(notice.run), iteration: String(notice.iteration) }}
              className="hover:text-text"
            >
              iteration {notice.iteration}
            </Link>
          )}
          {notice.kind === "consolidation" && (
            <Link to="/knowledge" search={{ tab: "consolidate" }} className="hover:text-text">
              Consolidate
            </Link>
          )}
          {ago(notice.created, now)}
          {notice.accepted !== null && standing(proposal, notice.accepted)}
        </FactLine>
      </div>
      {notice.accepted === null && (
        <div className="flex gap-2">
          {proposal ? (
            <>
              <Button disabled={settle.isPending} onClick={() => settle.mutate(true)}>
                Accept
              </Button>
              <Button disabled={settle.isPending} look="ghost" onClick={() => settle.mutate(false)}>
                Dismiss
              </Button>
            </>
          ) : (
            <Button disabled={settle.isPending} onClick={() => settle.mutate(true)}>
              {holds ? "Seen, merge again" : "Seen"}
            </Button>
          )}
        </div>
      )}
    </article>
  );
}

function said(proposal: boolean, accepted: boolean): string {
  if (!proposal) return "Marked as seen";
  return accepted ? "Accepted: the change is made" : "Dismissed: nothing was changed";
}

function standing(proposal: boolean, accepted: boolean): string {
  if (!proposal) return "seen";
  return accepted ? "accepted" : "dismissed";
}
