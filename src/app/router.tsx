import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type RouterHistory,
  redirect,
} from "@tanstack/react-router";
import { FeaturePage } from "@/areas/features/feature-page";
import { FeaturesPage } from "@/areas/features/features-page";
import { InsightsPage } from "@/areas/insights/insights-page";
import { KnowledgePage } from "@/areas/knowledge/knowledge-page";
import { LoopPage } from "@/areas/loop/loop-page";
import { RunPage } from "@/areas/loop/run-page";
import { ProjectsPage } from "@/areas/projects/projects-page";
import { SettingsPage } from "@/areas/settings/settings-page";
import { TaskPage } from "@/areas/tasks/task-page";
import { TasksPage } from "@/areas/tasks/tasks-page";
import { flag, manyOf, oneOf, said, text } from "@/lib/search";
import { LEARNING_SOURCES, LEARNING_STATES, PRIORITIES, PROVENANCES, TASK_STATUSES } from "@/lib/words";
import { NotFound } from "./not-found";
import { Root } from "./root";

type Search = Record<string, unknown>;

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/features" });
  },
});
const projects = createRoute({ getParentRoute: () => root, path: "/projects", component: ProjectsPage });
const features = createRoute({
  getParentRoute: () => root,
  path: "/features",
  component: FeaturesPage,
  validateSearch: (s: Search) => said({ q: text(s.q), sort: oneOf(s.sort, ["name", "tasks"]), new: flag(s.new) }),
});
const feature = createRoute({
  getParentRoute: () => root,
  path: "/features/$name",
  component: FeaturePage,
  validateSearch: (s: Search) =>
    said({
      tab: oneOf(s.tab, ["learnings", "tasks", "context", "journal", "split"]),
      state: manyOf(s.state, LEARNING_STATES),
      q: text(s.q),
    }),
});
const tasks = createRoute({
  getParentRoute: () => root,
  path: "/tasks",
  component: TasksPage,
  validateSearch: (s: Search) =>
    said({
      q: text(s.q),
      feature: text(s.feature),
      status: manyOf(s.status, TASK_STATUSES),
      priority: manyOf(s.priority, PRIORITIES),
      provenance: manyOf(s.provenance, PROVENANCES),
      view: oneOf(s.view, ["graph"]),
      new: flag(s.new),
    }),
});
const task = createRoute({ getParentRoute: () => root, path: "/tasks/$id", component: TaskPage });
const loop = createRoute({
  getParentRoute: () => root,
  path: "/loop",
  component: LoopPage,
  validateSearch: (s: Search) => said({ task: typeof s.task === "number" ? s.task : undefined }),
});
const tabs = ["live", "told", "changed", "hooks"] as const;
const run = createRoute({
  getParentRoute: () => root,
  path: "/loop/$run",
  component: RunPage,
  validateSearch: (s: Search) => said({ tab: oneOf(s.tab, tabs) }),
});
const iteration = createRoute({
  getParentRoute: () => root,
  path: "/loop/$run/$iteration",
  component: RunPage,
  validateSearch: (s: Search) => said({ tab: oneOf(s.tab, tabs) }),
});
const knowledge = createRoute({
  getParentRoute: () => root,
  path: "/knowledge",
  component: KnowledgePage,
  validateSearch: (s: Search) =>
    said({
      tab: oneOf(s.tab, ["review", "parked"]),
      q: text(s.q),
      feature: text(s.feature),
      state: manyOf(s.state, LEARNING_STATES),
      source: manyOf(s.source, LEARNING_SOURCES),
    }),
});
const insights = createRoute({ getParentRoute: () => root, path: "/insights", component: InsightsPage });
const settings = createRoute({ getParentRoute: () => root, path: "/settings", component: SettingsPage });

const tree = root.addChildren([
  home,
  projects,
  features,
  feature,
  tasks,
  task,
  loop,
  run,
  iteration,
  knowledge,
  insights,
  settings,
]);

/** Hash history: every entity has a URL, and a reload of the window finds it without a server's help. */
export function makeRouter(history: RouterHistory = createHashHistory()) {
  return createRouter({ routeTree: tree, history, defaultPreload: false, scrollRestoration: false });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
