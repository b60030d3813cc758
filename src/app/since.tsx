import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode, useEffect } from "react";
import { AWAY_MILLIS, CRITICAL_PCT, commands, HIGH_PCT, type Overview, queries, type SinceLook } from "@/ipc";
import { cn } from "@/lib/cn";
import { ago, atTime, moment } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { needKinds } from "@/lib/needs";
import { endedBadly, stopIsTrouble, stopReasonWord, type Tone } from "@/lib/words";
import { toneText } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Cost } from "@/ui/cost";

/** Time between records that the person is still looking, as long as they are active. */
const PULSE_MILLIS = 60_000;
/** What a person does in a window that they are looking at; a window that is merely in front may have nobody before it. */
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "focus"] as const;
/** Features named with their change; the others are counted. */
const NAMED = 2;

/** What happened since the person's last look, until they dismiss it; nothing if nothing happened. `brief`: in one line. */
export const SinceYouLeft = memo(({ brief }: { brief: boolean }) => {
  const client = useQueryClient();
  const { data: since } = useSince();
  const { data: overview } = useQuery(queries.overview());
  if (!since || !overview || isQuiet(since)) return null;
  return (
    <Panel
      since={since}
      overview={overview}
      brief={brief}
      onSeen={() => {
        // This also clears the marks of new items.
        client.setQueryData(queries.sinceLook().queryKey, null);
      }}
    />
  );
});

/** Reads what happened before noting that the person looks, and again whenever they return after a while. */
function useSince() {
  const client = useQueryClient();
  const since = useQuery(queries.sinceLook());
  const { isFetched } = since;
  useEffect(() => {
    if (!isFetched) return;
    const { queryKey } = queries.sinceLook();
    const look = () => void commands.look().catch(() => undefined);
    /** What was not dismissed before they left is shown again, with what has happened since. */
    const tell = () => {
      const shown = client.getQueryData(queryKey);
      const from = shown && !isQuiet(shown) ? shown.at : null;
      return commands.sinceLook(from).then(
        (now) => client.setQueryData(queryKey, now),
        () => undefined,
      );
    };
    let seen = Date.now();
    let noted = 0;
    const note = () => {
      noted = Date.now();
      look();
    };
    if (document.hasFocus()) note();
    const isAway = () => Date.now() - seen >= AWAY_MILLIS;
    // The first activity in a minute is recorded, not the last: what happens after it may be shown twice, but is never missed.
    const onSign = () => {
      const returns = isAway();
      seen = Date.now();
      if (returns) void tell().then(note);
      else if (seen - noted >= PULSE_MILLIS) note();
    };
    const onBlur = () => {
      if (!isAway()) note();
    };
    window.addEventListener("blur", onBlur);
    for (const sign of SIGNS) window.addEventListener(sign, onSign, { capture: true, passive: true });
    return () => {
      window.removeEventListener("blur", onBlur);
      for (const sign of SIGNS) window.removeEventListener(sign, onSign, { capture: true });
    };
  }, [isFetched, client]);
  return since;
}

/** Whether nothing worth mentioning happened. */
function isQuiet({ work, learnt, put_away, saturation }: SinceLook): boolean {
  return work.done + work.failed + learnt + put_away + saturation.length === 0 && (work.cost_usd ?? 0) === 0;
}

function Panel({
  since,
  overview,
  brief,
  onSeen,
}: {
  since: SinceLook;
  overview: Overview;
  brief: boolean;
  onSeen: () => void;
}) {
  const now = useNow(60_000);
  const { work, learnt, put_away, saturation } = since;
  const moved = saturation.slice(0, NAMED);
  const others = saturation.length - moved.length;
  return (
    <section
      aria-labelledby="since"
      data-brief={brief || undefined}
      className={cn(
        "group",
        brief
          ? "flex items-center gap-x-4 border-b border-line bg-panel px-6 py-1 max-[700px]:flex-wrap"
          : "relative mx-6 mt-3 rounded-xl border border-line bg-panel px-4 pt-2 pb-2.5",
      )}
    >
      <div className="mr-auto flex shrink-0 items-baseline gap-2">
        <h2 id="since" className="font-semibold">
          Since you left
        </h2>
        <span className="num text-xs text-faint" title={moment(since.at)}>
          {ago(since.at, now)}
        </span>
      </div>
      <ul
        className={cn(
          "num flex min-w-0 gap-x-6",
          brief
            ? // With large text the figures have the width of the window, below the heading and its button.
              "min-h-7 flex-1 flex-wrap items-center max-[700px]:order-1 max-[700px]:basis-full max-[700px]:gap-x-4"
            : "mt-1.5 flex-wrap gap-y-2",
        )}
      >
        <Figure
          value={work.done}
          label={work.done === 1 ? "task done" : "tasks done"}
          tone={work.done > 0 ? "ok" : "dim"}
          link={(words) => (
            <Link
              to="/insights/iterations"
              search={{ result: "done", task_done: true, attempts: true, since: since.at }}
            >
              {words}
            </Link>
          )}
        />
        <Figure
          value={work.failed}
          label={work.failed === 1 ? "task failed" : "tasks failed"}
          tone={work.failed > 0 ? "bad" : "dim"}
          link={(words) => (
            <Link
              to="/insights/iterations"
              search={{ result: "failed", attempts: true, since: since.at, undone: true }}
            >
              {words}
            </Link>
          )}
        />
        <Figure
          value={<Cost usd={work.cost_usd} estimated={work.estimated_usd} unpriced={work.unpriced} />}
          label="spent"
          link={(words) => <Link to="/insights">{words}</Link>}
        />
        <Figure value={learnt} label="learned" link={(words) => <Link to="/knowledge">{words}</Link>} />
        {put_away > 0 && (
          <Figure
            value={put_away}
            label="put away"
            link={(words) => (
              <Link to="/knowledge" search={{ state: ["pruned", "retired", "superseded", "consolidated"] }}>
                {words}
              </Link>
            )}
          />
        )}
        {moved.map(({ feature, before_pct, now_pct }) => (
          <Figure
            key={feature}
            value={`${before_pct} → ${now_pct} %`}
            label={feature}
            tone={now_pct >= CRITICAL_PCT ? "bad" : now_pct >= HIGH_PCT ? "high" : "neutral"}
            link={(words) => (
              <Link to="/features/$name" params={{ name: feature }}>
                {words}
              </Link>
            )}
          />
        ))}
        {others > 0 && (
          <Figure
            value={`+${others}`}
            label={others === 1 ? "other feature" : "other features"}
            link={(words) => <Link to="/insights">{words}</Link>}
          />
        )}
        <Figure
          value={overview.needs_you_count}
          label={overview.needs_you_count === 1 ? "needs you" : "need you"}
          tone={overview.needs_you_count > 0 ? "bad" : "dim"}
          link={(words) => <Link to="/needs-you">{words}</Link>}
        />
      </ul>
      {!brief && <Health since={since} overview={overview} />}
      <Button size="sm" className={brief ? undefined : "absolute top-2 right-4"} onClick={onSeen}>
        Seen
      </Button>
    </section>
  );
}

/** One line on whether all is well, and what needs the person: runs that ended badly since then, and open items by kind. */
function Health({ since, overview }: { since: SinceLook; overview: Overview }) {
  const now = useNow(60_000);
  const { data: runs } = useQuery(queries.runs());
  const bad = (runs ?? []).filter(
    ({ stop_reason, ended }) => stopIsTrouble(stop_reason) && ended !== null && ended > since.at,
  );
  const kinds = needKinds(overview.needs_you);
  if (bad.length + kinds.length === 0) return null;
  return (
    <p
      className="num mt-1.5 flex flex-wrap gap-x-4 border-t border-line pt-1 text-xs leading-6 text-dim"
      data-testid="health"
    >
      {bad.slice(0, NAMED).map((run) => (
        <Link
          key={run.id}
          to="/loop/$run"
          params={{ run: String(run.id) }}
          className="inline-block min-h-6 text-bad hover:underline"
        >
          Run {run.id} {run.stop_reason && (endedBadly[run.stop_reason] ?? stopReasonWord[run.stop_reason])}{" "}
          {run.ended && atTime(run.ended, now)}
        </Link>
      ))}
      {bad.length > NAMED && (
        <Link to="/loop" className="inline-block min-h-6 text-bad hover:underline">
          {bad.length - NAMED} more ended badly
        </Link>
      )}
      {kinds.map(({ group, words }) => (
        <Link key={group} to="/needs-you" className="inline-block min-h-6 hover:text-text hover:underline">
          {words}
        </Link>
      ))}
    </p>
  );
}

/** A number with its unit; all of it links to its details. */
function Figure({
  value,
  label,
  tone = "neutral",
  link,
}: {
  value: ReactNode;
  label: string;
  tone?: Tone;
  link: (words: ReactNode) => ReactNode;
}) {
  return (
    <li className="-mx-2 rounded-md px-2 py-0.5 hover:bg-hover">
      {link(
        <>
          <span
            className={cn(
              "block text-base leading-5 font-semibold group-data-brief:inline group-data-brief:text-sm",
              toneText[tone],
            )}
          >
            {value}
          </span>{" "}
          <span className="block max-w-36 truncate text-xs font-normal text-dim group-data-brief:inline">{label}</span>
        </>,
      )}
    </li>
  );
}
