import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Boxes, ChevronRight, Plus } from "lucide-react";
import { type FeatureRow, queries } from "@/ipc";
import { cn } from "@/lib/cn";
import { count, firstLine, number } from "@/lib/format";
import { useKey } from "@/lib/hooks";
import { usePageActions } from "@/lib/page-actions";
import { rowKeys } from "@/lib/rows";
import { levelTone } from "@/lib/words";
import { Acronym } from "@/ui/acronym";
import { Badge, Kbd, toneText } from "@/ui/badge";
import { Button, buttonLook } from "@/ui/button";
import { FeatureBar } from "@/ui/chart/saturation-bar";
import { SearchBox } from "@/ui/filter";
import { OutsideBadge } from "@/ui/learning/outside-badge";
import { Page } from "@/ui/page";
import { Result } from "@/ui/query";
import { Select } from "@/ui/select";
import { Empty } from "@/ui/state";
import { TaskSquares } from "@/ui/task/task-squares";
import { PageRows } from "@/ui/virtual-list";
import { CreateFeature } from "./create-feature";

const route = getRouteApi("/features");

export function FeaturesPage() {
  const { q, sort, new: creating } = route.useSearch();
  const navigate = route.useNavigate();
  const features = useQuery(queries.features());
  const set = (change: Partial<ReturnType<typeof route.useSearch>>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  useKey("n", () => set({ new: true }));
  usePageActions([
    { words: "Sort features by saturation", go: () => set({ sort: undefined }) },
    { words: "Sort features by open tasks", go: () => set({ sort: "tasks" }) },
    { words: "Sort features by name", go: () => set({ sort: "name" }) },
  ]);
  const all = features.data ?? [];
  // What is in archived features counts as little as they do, as in the rail.
  const kept = all.filter(({ feature }) => feature.state !== "archived");
  const open = kept.reduce((sum, row) => sum + openTasks(row), 0);
  const learnings = kept.reduce((sum, { saturation }) => sum + saturation.learnings_count, 0);
  return (
    <Page
      title="Features"
      sub={features.data && `${countWords(all)} · ${count(open, "open task")} · ${count(learnings, "learning")}`}
      actions={
        <>
          <SearchBox
            value={q ?? ""}
            onChange={(text) => set({ q: text || undefined })}
            label="Filter features"
            className="w-40"
          />
          <Select
            className="h-7 bg-panel"
            label="Sort"
            value={sort ?? ""}
            onChange={(next) => set({ sort: next === "name" || next === "tasks" ? next : undefined })}
            options={[
              { value: "", label: "By saturation" },
              { value: "tasks", label: "By open tasks" },
              { value: "name", label: "By name" },
            ]}
          />
          <Button look="primary" onClick={() => set({ new: true })}>
            <Plus size={14} aria-hidden="true" /> New feature
          </Button>
        </>
      }
    >
      <Result of={features}>
        {(rows) => <Rows rows={sorted(rows, sort)} q={q ?? ""} onCreate={() => set({ new: true })} />}
      </Result>
      {creating && <CreateFeature onClose={() => set({ new: undefined })} parents={all} />}
    </Page>
  );
}

/** Archived ones are counted apart, as in the rail. */
function countWords(rows: FeatureRow[]): string {
  const archived = rows.filter(({ feature }) => feature.state === "archived").length;
  return `${count(rows.length - archived, "feature")}${archived > 0 ? `, ${number(archived)} archived` : ""}`;
}

/** Counted as in the rail: what is in review is not done yet. */
function openTasks({ tasks }: FeatureRow): number {
  return tasks.pending + tasks.in_progress + tasks.in_review + tasks.blocked + tasks.draft;
}

function sorted(rows: FeatureRow[], sort: "name" | "tasks" | undefined): FeatureRow[] {
  const byName = (a: FeatureRow, b: FeatureRow) => a.feature.display_name.localeCompare(b.feature.display_name);
  // Archived features come last in any order.
  const away = ({ feature }: FeatureRow) => (feature.state === "active" ? 0 : feature.state === "decomposed" ? 1 : 2);
  return [...rows].sort((a, b) => {
    if (away(a) !== away(b)) return away(a) - away(b);
    if (sort === "name") return byName(a, b);
    if (sort === "tasks") return openTasks(b) - openTasks(a) || byName(a, b);
    return b.saturation.saturation_pct - a.saturation.saturation_pct || byName(a, b);
  });
}

const columns =
  "grid grid-cols-[minmax(0,1fr)_7.5rem_10rem_7rem_0.875rem] items-center gap-4 px-6 max-[900px]:grid-cols-[minmax(10.5rem,1fr)_6rem_6rem_0.875rem] max-[900px]:gap-3 max-[480px]:grid-cols-[minmax(0,1fr)_4.5rem_6rem_0.875rem] min-[1180px]:grid-cols-[minmax(0,1fr)_12rem_13rem_10rem_0.875rem] min-[1180px]:gap-5";

function Rows({ rows, q, onCreate }: { rows: FeatureRow[]; q: string; onCreate: () => void }) {
  if (rows.length === 0) {
    return (
      <Empty
        icon={Boxes}
        title="No features yet"
        action={
          <>
            <Link to="/tasks" search={{ new: true }} className={buttonLook({ look: "primary" })}>
              Write the first task
            </Link>
            <Button onClick={onCreate}>
              <Plus size={14} aria-hidden="true" /> New feature <Kbd>N</Kbd>
            </Button>
          </>
        }
      >
        A feature is a scope of work and what is learned about it. Tasks belong to features; the first task makes one.
      </Empty>
    );
  }
  const needle = q.toLowerCase();
  const shown = rows.filter(({ feature: f }) =>
    `${f.name} ${f.display_name} ${f.acronym} ${f.description}`.toLowerCase().includes(needle),
  );
  if (shown.length === 0)
    return <Empty title={`No feature matches “${q}”`}>Clear the filter to see all {rows.length}.</Empty>;
  return (
    <section aria-label="Features" onKeyDown={rowKeys}>
      <div
        className={cn(columns, "sticky top-0 z-10 h-8 border-b border-line bg-bg text-xs text-faint")}
        aria-hidden="true"
      >
        <span>Feature</span>
        <span className="max-[900px]:hidden">Tasks</span>
        <span>Knowledge</span>
        <span>Needs</span>
        <span />
      </div>
      <PageRows
        label="Features"
        items={shown}
        keyOf={({ feature }) => feature.name}
        estimate={57}
        render={(row) => <Row row={row} />}
      />
    </section>
  );
}

function Row({ row }: { row: FeatureRow }) {
  const { feature, saturation } = row;
  return (
    <div
      data-testid="feature-row"
      data-feature={feature.name}
      className={cn(columns, "relative min-h-14 border-b border-line py-2 hover:bg-hover")}
    >
      <div className="flex min-w-0 gap-3">
        <Acronym>{feature.acronym}</Acronym>
        <div className="min-w-0">
          <p className="flex items-center gap-x-2 max-[700px]:flex-wrap">
            <Link
              to="/features/$name"
              params={{ name: feature.name }}
              data-row
              className={cn(
                "truncate font-medium after:absolute after:inset-0 max-[700px]:line-clamp-2 max-[700px]:whitespace-normal",
                feature.state !== "active" && "text-dim",
              )}
            >
              {feature.display_name}
            </Link>
            {feature.state !== "active" && <Badge tone="dim">{feature.state}</Badge>}
            {row.outside && <OutsideBadge replica={row.outside_replica} />}
            {feature.parent && <span className="truncate text-xs text-faint">of {feature.parent}</span>}
          </p>
          <p className="truncate text-xs text-dim">{firstLine(feature.description)}</p>
        </div>
      </div>
      <div className="max-[900px]:hidden">
        <TaskSquares counts={row.tasks} />
      </div>
      {/* Above the row's link, so that the pointer reaches the tooltip. */}
      <div className="relative z-1">
        {saturation.learnings_count > 0 ? (
          <>
            <FeatureBar known={saturation} parked={row.parked_count} />
            <p className="num flex justify-between text-xs text-dim">
              <span>
                <span className={saturation.level === "low" ? "" : toneText[levelTone[saturation.level]]}>
                  {saturation.learnings_count}
                </span>
                {" / "}
                {saturation.max_learnings}
              </span>
              <span className="max-[900px]:hidden">{saturation.protected_count} protected</span>
            </p>
          </>
        ) : (
          <span className="text-xs text-faint">
            {feature.state === "decomposed" ? "moved to its children" : "no learnings yet"}
          </span>
        )}
      </div>
      <div className="relative z-1 flex flex-wrap gap-1.5">
        {row.split_task !== null && (
          <Link to="/tasks/$id" params={{ id: String(row.split_task) }} data-testid="split-link">
            <Badge tone="bad" className="hover:bg-bad-soft">
              split task #{row.split_task}
            </Badge>
          </Link>
        )}
        {row.review_count > 0 && (
          <Link to="/knowledge" search={{ tab: "review", feature: feature.name }}>
            <Badge tone="warn">{count(row.review_count, "conflict")}</Badge>
          </Link>
        )}
        {row.parked_count > 0 && (
          <Link to="/knowledge" search={{ tab: "review", part: "parked", feature: feature.name }}>
            <Badge tone="high">{row.parked_count} parked</Badge>
          </Link>
        )}
        {row.tasks.blocked > 0 && (
          <Link to="/tasks" search={{ feature: feature.name, status: ["blocked"] }}>
            <Badge tone="warn">{row.tasks.blocked} blocked</Badge>
          </Link>
        )}
      </div>
      <ChevronRight size={14} className="text-faint" aria-hidden="true" />
    </div>
  );
}
