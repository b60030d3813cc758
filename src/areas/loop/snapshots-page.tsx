import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArchiveRestore } from "lucide-react";
import { queries, type SnapshotInfo } from "@/ipc";
import { ago, count, moment } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { rowKeys } from "@/lib/rows";
import { useFew } from "@/ui/few";
import { Page } from "@/ui/page";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { RestoreSnapshot } from "./restore-snapshot";
import { SnapshotOrigin } from "./snapshot-origin";

const route = getRouteApi("/loop/snapshots");

/** Snapshots of uncommitted work, and what restoring one of them would do. */
export function SnapshotsPage() {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const snapshots = useQuery(queries.snapshots());
  return (
    <Page title="Snapshots" sub={snapshots.data?.length ? count(snapshots.data.length, "snapshot") : undefined}>
      <Result of={snapshots}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              icon={ArchiveRestore}
              title="No snapshots"
              action={
                <Link to="/loop" className="text-accent underline underline-offset-2">
                  Go to Loop
                </Link>
              }
            >
              Work of yours that is not committed is kept here for a month before an agent starts in your checkout, and
              so is what a removed worktree held. There was none.
            </Empty>
          ) : (
            <>
              <p className="px-6 pb-3 max-w-3xl text-dim">
                Work that was not committed, kept before an agent started, before a worktree went, or before something
                was put back. Each stays for a month.
              </p>
              <Rows snapshots={all} />
            </>
          )
        }
      </Result>
      {show !== undefined && (
        <RestoreSnapshot key={show} name={show} onClose={() => void navigate({ search: {}, replace: true })} />
      )}
    </Page>
  );
}

function Rows({ snapshots }: { snapshots: SnapshotInfo[] }) {
  const now = useNow(60_000);
  const [shown, more] = useFew(snapshots);
  return (
    <>
      <ul aria-label="Snapshots" className="border-t border-line" onKeyDown={rowKeys}>
        {shown.map((one) => (
          <li
            key={one.name}
            className="relative flex min-h-12 items-center gap-x-4 border-b border-line px-6 py-1.5 hover:bg-hover max-[600px]:flex-wrap"
          >
            <div className="min-w-0 flex-1 max-[600px]:basis-full">
              <Link
                to="/loop/snapshots"
                search={{ show: one.name }}
                data-row
                className="num font-medium after:absolute after:inset-0"
              >
                Snapshot {one.name}
              </Link>
              <p className="truncate text-xs text-dim first-letter:uppercase">
                <SnapshotOrigin of={one} />
              </p>
            </div>
            <span className="num shrink-0 text-xs text-faint" title={moment(one.made)}>
              {ago(one.made, now)}
            </span>
          </li>
        ))}
      </ul>
      {more && <p className="px-6">{more}</p>}
    </>
  );
}
