import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { type NeedsYou, type Notice, queries } from "@/ipc";
import { count } from "@/lib/format";
import { needKinds } from "@/lib/needs";
import { usePageActions } from "@/lib/page-actions";
import { rowKeys } from "@/lib/rows";
import { buttonLook } from "@/ui/button";
import { useFew } from "@/ui/few";
import { needKey } from "@/ui/need";
import { Page } from "@/ui/page";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { PageRows } from "@/ui/virtual-list";
import { BlockedTasks } from "./blocked";
import { type Groups, groupsOf } from "./groups";
import { NoticeRow } from "./notice-row";
import { OtherRow } from "./others";
import { Questions } from "./questions";
import { Group, Row } from "./row";
import { Trust } from "./trust";

/** Everything that needs a person, decisions first, with the actions that are possible here. */
export function NeedsYouPage() {
  const { settled } = useSearch({ from: "/needs-you" });
  const overview = useQuery(queries.overview());
  const trust = useQuery(queries.trust());
  const things = overview.data?.needs_you_count ?? 0;
  const navigate = useNavigate();
  usePageActions([
    ...needKinds(overview.data?.needs_you ?? []).map(({ group }) => ({
      words: `Go to: ${group.toLowerCase()}`,
      go: () => lead(group),
    })),
    {
      words: settled ? "Hide what was settled" : "Show what was settled",
      go: () => void navigate({ to: "/needs-you", search: settled ? {} : { settled: true }, replace: true }),
    },
  ]);
  return (
    <Page
      title="Needs you"
      sub={things > 0 ? `${count(things, "thing")}${later(things, overview.data?.needs_you ?? [])}` : undefined}
      actions={
        <Link to="/needs-you" search={settled ? {} : { settled: true }} replace className={buttonLook()}>
          {settled ? "Hide what was settled" : "Show what was settled"}
        </Link>
      }
    >
      <Result of={overview}>
        {({ needs_you, for_later }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: moves the focus between the rows of all groups.
          <div className="pb-8" onKeyDown={rowKeys}>
            <Kinds items={needs_you} />
            <Trust />
            {needs_you.length === 0 && trust.data?.agreed !== false && (
              <Empty icon={CircleCheck} title="Nothing waits for you">
                What agents propose and may not do, what they did to the repository, and what the loop can't settle by
                itself comes here.
              </Empty>
            )}
            <Waiting groups={groupsOf(needs_you)} above={`${needKinds(needs_you).length} ${trust.data?.agreed}`} />
            <ForLater count={for_later} />
            {settled && <Settled />}
          </div>
        )}
      </Result>
    </Page>
  );
}

/** How many there are beyond those that are listed: of proposals only the oldest are. */
function later(things: number, listed: readonly NeedsYou[]): string {
  const rest = things - needKinds(listed).reduce((sum, kind) => sum + kind.count, 0);
  return rest > 0 ? `; ${count(rest, "proposal is", "proposals are")} listed once others are decided` : "";
}

/** Scrolls a group into view, and focuses its first row, or the group itself where it has none. */
function lead(group: string): void {
  const found = document.querySelector<HTMLElement>(`main section[aria-label="${group}"]`);
  found?.scrollIntoView({ block: "start" });
  (found?.querySelector<HTMLElement>("[data-row]") ?? found)?.focus({ preventScroll: true });
}

/** The number of items of each kind, linked to the groups however long they are. */
function Kinds({ items }: { items: NeedsYou[] }) {
  const kinds = needKinds(items);
  if (kinds.length < 2) return null;
  return (
    <ul aria-label="Kinds" className="num flex flex-wrap gap-1.5 px-6 pb-1">
      {kinds.map(({ group, words }) => (
        <li key={group}>
          <button
            type="button"
            onClick={() => lead(group)}
            className="h-6 rounded-full border border-line px-2.5 text-xs text-dim hover:border-line-strong hover:text-text"
          >
            {words}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Rows without state of their own: only those near the visible part are drawn. */
function Others({ title, items }: { title: string; items: Parameters<typeof OtherRow>[0]["item"][] }) {
  return (
    <PageRows label={title} items={items} keyOf={needKey} estimate={61} render={(item) => <OtherRow item={item} />} />
  );
}

/** Each keeps its pairs open while it is decided. */
function Conflicts({ items }: { items: Groups["conflicts"] }) {
  const [shown, more] = useFew(items);
  return (
    <>
      <ul>
        {shown.map((item) => (
          <li key={needKey(item)}>
            <OtherRow item={item} />
          </li>
        ))}
      </ul>
      {more && <p className="px-6">{more}</p>}
    </>
  );
}

function Waiting({
  groups,
  above,
}: {
  groups: Groups;
  /** Changes with what is above it. */
  above: string;
}) {
  return (
    <>
      <Group title="Questions" note="agents wait for them" count={groups.questions.length}>
        <Questions questions={groups.questions.map(({ question }) => question)} above={above} />
      </Group>
      <Group title="Merging is held up" note="until you have looked at this" count={groups.holding.length}>
        <Notices notices={groups.holding} holds />
      </Group>
      <Group title="Proposals" note="what agents may not do by themselves" count={groups.proposals.length}>
        <Notices notices={groups.proposals} />
      </Group>
      <Group title="Conflicts" count={groups.conflicts.length}>
        <Conflicts items={groups.conflicts} />
      </Group>
      <Group title="To review" note="done, and not merged yet" count={groups.reviews.length}>
        <Others title="To review" items={groups.reviews} />
      </Group>
      <BlockedTasks items={groups.blocked} />
      <Group title="Stranded" note="they depend on what was given up" count={groups.stranded.length}>
        <Others title="Stranded" items={groups.stranded} />
      </Group>
      <Group title="No room" count={groups.parked.length}>
        <Others title="No room" items={groups.parked} />
      </Group>
      <Group title="Worth a look" count={groups.events.length}>
        <Events events={groups.events} />
      </Group>
      <Group title="Settles itself" note="nothing to do unless you want to" count={groups.settling.length}>
        <Others title="Settles itself" items={groups.settling} />
      </Group>
    </>
  );
}

/** Questions that nothing waits for. */
function ForLater({ count: questions }: { count: number }) {
  return (
    <Group title="For when you have time" count={questions}>
      <Row
        title={
          <Link to="/knowledge" search={{ tab: "review" }} data-row className="block truncate hover:underline">
            {count(questions, "question")} about what is known
          </Link>
        }
        reason="Lessons that were put away and are said again, or that a review doubts."
        actions={
          <Link to="/knowledge" search={{ tab: "review" }} className={buttonLook()}>
            Answer
          </Link>
        }
      />
    </Group>
  );
}

function Events({ events }: { events: Groups["events"] }) {
  const [shown, more] = useFew(events);
  return (
    <>
      {shown.map((event) =>
        event.kind === "notice" ? (
          <NoticeRow key={needKey(event)} notice={event.notice} />
        ) : (
          <OtherRow key={needKey(event)} item={event} />
        ),
      )}
      {more && <p className="px-6">{more}</p>}
    </>
  );
}

function Notices({ notices, holds }: { notices: Notice[]; holds?: boolean }) {
  const [shown, more] = useFew(notices);
  return (
    <>
      <ul>
        {shown.map((notice) => (
          <li key={notice.id}>
            <NoticeRow notice={notice} holds={holds} />
          </li>
        ))}
      </ul>
      {more && <p className="px-6">{more}</p>}
    </>
  );
}

function Settled() {
  const notices = useQuery(queries.notices(true));
  const past = notices.data?.filter((notice) => notice.accepted !== null) ?? [];
  return (
    <section aria-label="Settled" className="pt-4">
      <h2 className="mb-2 px-6 font-semibold">Settled</h2>
      <Result of={notices}>
        {() =>
          past.length === 0 ? (
            <p className="px-6 text-dim">Nothing has been settled yet.</p>
          ) : (
            <div className="border-t border-line">
              <Notices notices={past} />
            </div>
          )
        }
      </Result>
    </section>
  );
}
