import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChevronRight, Plus } from "lucide-react";
import { type FeatureRow, type FeatureSaturation, queries } from "@/ipc";
import { cn } from "@/lib/cn";
import { usePageActions } from "@/lib/page-actions";
import { Acronym } from "@/ui/acronym";
import { Badge } from "@/ui/badge";
import { buttonLook } from "@/ui/button";
import { FeatureBar, saturationWords } from "@/ui/chart/saturation-bar";
import { Crumbs } from "@/ui/crumbs";
import { OutsideBadge } from "@/ui/learning/outside-badge";
import { PageResult } from "@/ui/query";
import { type Tab, TabPanel, Tabs } from "@/ui/tabs";
import { ContextTab } from "./context-tab";
import { JournalTab } from "./journal-tab";
import { LearningsTab } from "./learnings-tab";
import { SplitTab } from "./split-tab";
import { TasksTab } from "./tasks-tab";

const route = getRouteApi("/features/$name");
type TabName = "learnings" | "tasks" | "context" | "journal" | "split";

export function FeaturePage() {
  const { name } = route.useParams();
  const feature = useQuery(queries.feature(name));
  return (
    <PageResult of={feature} title={`Feature ${name}`} up={<Link to="/features">Features</Link>}>
      {(row) => <Detail key={name} row={row} />}
    </PageResult>
  );
}

function Detail({ row }: { row: FeatureRow }) {
  const { feature, saturation, tasks } = row;
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const total = Object.values(tasks).reduce((sum, n) => sum + n, 0);
  const splits =
    row.split_task !== null ||
    saturation.level === "critical" ||
    feature.state === "decomposed" ||
    row.parked_count > 0;
  const tabs: Tab<TabName>[] = [
    { value: "learnings", label: "Learnings", extra: <Figure>{saturation.learnings_count}</Figure> },
    { value: "tasks", label: "Tasks", extra: <Figure>{total}</Figure> },
    { value: "context", label: "Context" },
    { value: "journal", label: "Journal" },
    ...(splits || tab === "split" ? [{ value: "split" as const, label: "Split" }] : []),
  ];
  usePageActions([
    {
      words: `New task of ${feature.display_name}`,
      go: () => void navigate({ to: "/tasks", search: { feature: feature.name, new: true } }),
    },
    ...tabs.map(({ value, label }) => ({
      words: `${feature.display_name}: ${label.toLowerCase()}`,
      go: () => void navigate({ search: value === "learnings" ? {} : { tab: value }, replace: true }),
    })),
  ]);
  return (
    <div className="flex h-full min-h-0 flex-col low:overflow-x-hidden low:overflow-y-auto">
      <Head row={row} />
      <Tabs<TabName>
        label="Parts of the feature"
        value={tab ?? "learnings"}
        onChange={(next) => void navigate({ search: next === "learnings" ? {} : { tab: next }, replace: true })}
        tabs={tabs}
      >
        <TabPanel value="learnings" className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden">
          <LearningsTab row={row} />
        </TabPanel>
        <TabPanel value="tasks">
          <TasksTab feature={feature.name} />
        </TabPanel>
        <TabPanel value="context">
          <ContextTab feature={feature} />
        </TabPanel>
        <TabPanel value="journal">
          <JournalTab feature={feature.name} />
        </TabPanel>
        <TabPanel value="split">
          <SplitTab row={row} />
        </TabPanel>
      </Tabs>
    </div>
  );
}

function Figure({ children }: { children: number }) {
  return <span className="num text-xs text-faint">{children}</span>;
}

function Head({ row }: { row: FeatureRow }) {
  const { feature, saturation } = row;
  // A new feature needs a first task; later on that is only one of several actions.
  const hasTasks = Object.values(row.tasks).some((n) => n > 0);
  return (
    <header className="flex shrink-0 items-start gap-6 px-6 pt-3.5 pb-3 max-[700px]:flex-wrap max-[700px]:gap-x-4 max-[700px]:gap-y-2">
      <div className="min-w-0 flex-1 max-[700px]:min-w-full">
        <Crumbs>
          <Link to="/features" className="shrink-0 hover:text-text">
            Features
          </Link>
          {feature.parent && (
            <>
              <ChevronRight size={11} className="shrink-0" aria-hidden="true" />
              <Link to="/features/$name" params={{ name: feature.parent }} className="min-w-0 truncate hover:text-text">
                {feature.parent}
              </Link>
            </>
          )}
          <ChevronRight size={11} className="shrink-0" aria-hidden="true" />
          <span className="min-w-0 truncate font-mono" title={feature.name}>
            {feature.name}
          </span>
        </Crumbs>
        <h1 className="flex items-center gap-2.5 text-lg font-semibold tracking-tight max-[700px]:flex-wrap">
          <Acronym>{feature.acronym}</Acronym>
          <span className="min-w-0 truncate max-[700px]:line-clamp-2 max-[700px]:whitespace-normal">
            {feature.display_name}
          </span>
          {feature.state !== "active" && <Badge tone="warn">{feature.state}</Badge>}
          {row.outside && <OutsideBadge replica={row.outside_replica} />}
          {row.split_task !== null && (
            <Link to="/tasks/$id" params={{ id: String(row.split_task) }}>
              <Badge tone="bad">split task #{row.split_task}</Badge>
            </Link>
          )}
        </h1>
        {feature.description && (
          <p className="selectable mt-0.5 line-clamp-2 max-w-3xl text-dim">{feature.description}</p>
        )}
      </div>
      {feature.state === "active" && (
        <Link
          to="/tasks"
          search={{ new: true, feature: feature.name }}
          className={cn(buttonLook({ look: hasTasks ? "plain" : "primary" }), "mt-4 max-[700px]:mt-0")}
        >
          <Plus size={14} aria-hidden="true" /> New task
        </Link>
      )}
      {saturation.learnings_count > 0 && (
        <div className="w-56 shrink-0 pt-4 max-[700px]:pt-0">
          <FeatureBar known={saturation} parked={row.parked_count} />
          <p className="num text-xs text-dim">{saturationWords(saturation)}</p>
          {saturation.level !== "low" && <CouldGo saturation={saturation} />}
          {row.parked_count > 0 && (
            <Link
              to="/knowledge"
              search={{ tab: "review", part: "parked", feature: feature.name }}
              className="num flex min-h-6 items-center text-xs text-high hover:underline"
            >
              {row.parked_count} parked until there is room
            </Link>
          )}
        </div>
      )}
    </header>
  );
}

/** How many learnings could move into documents, and how full the feature would be then. */
function CouldGo({ saturation }: { saturation: FeatureSaturation }) {
  const { feature, learnings_count, max_learnings, saturation_pct } = saturation;
  const { data: going = 0 } = useQuery(queries.learningsToConsolidate(feature));
  if (going === 0) return null;
  const then = Math.floor((100 * (learnings_count - going)) / max_learnings);
  return (
    <Link
      to="/knowledge"
      search={{ tab: "consolidate", feature }}
      className="num block py-0.75 text-xs text-accent hover:underline"
    >
      {going} of {learnings_count} could become documents:{" "}
      <span className="whitespace-nowrap">
        {saturation_pct} % → {then} %
      </span>
    </Link>
  );
}
