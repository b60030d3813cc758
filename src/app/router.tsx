import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  type RouterHistory,
  redirect,
} from "@tanstack/react-router";
import { REVIEW_PARTS } from "@/lib/knowledge/knowledge-words";
import { questionSearch } from "@/lib/knowledge/question-search";
import { iterationSearch } from "@/lib/loop/iteration-search";
import { flag, manyOf, number, oneOf, said, text } from "@/lib/search";
import { LEARNING_SOURCES, LEARNING_STATES, PRIORITIES, PROVENANCES, TASK_STATUSES } from "@/lib/words";
import { Skeleton } from "@/ui/state";
import { Broken } from "./broken";
import { NotFound } from "./not-found";
import { Root } from "./root";

type Search = Record<string, unknown>;

/** An address whose parts are not such numbers leads nowhere; the backend would refuse it as an error of the window. */
const parts = (are: RegExp) => (params: object) => {
  if (!Object.values(params).every((part) => are.test(String(part)))) throw notFound();
};
const numbered = parts(/^\d{1,9}$/);
/** The work of a task, or of an errand. */
const ofWork = parts(/^e?\d{1,9}$/);

/** The code of an area is loaded on the first visit; the first page does not wait for it. */
const area = {
  projects: lazyRouteComponent(() => import("@/areas/projects/projects-page"), "ProjectsPage"),
  features: lazyRouteComponent(() => import("@/areas/features/features-page"), "FeaturesPage"),
  feature: lazyRouteComponent(() => import("@/areas/features/feature-page"), "FeaturePage"),
  tasks: lazyRouteComponent(() => import("@/areas/tasks/tasks-page"), "TasksPage"),
  task: lazyRouteComponent(() => import("@/areas/tasks/task-page"), "TaskPage"),
  loop: lazyRouteComponent(() => import("@/areas/loop/loop-page"), "LoopPage"),
  run: lazyRouteComponent(() => import("@/areas/loop/run-page"), "RunPage"),
  snapshots: lazyRouteComponent(() => import("@/areas/loop/snapshots-page"), "SnapshotsPage"),
  errand: lazyRouteComponent(() => import("@/areas/loop/errand-page"), "ErrandPage"),
  reviews: lazyRouteComponent(() => import("@/areas/review/reviews-page"), "ReviewsPage"),
  review: lazyRouteComponent(() => import("@/areas/review/review-page"), "ReviewPage"),
  knowledge: lazyRouteComponent(() => import("@/areas/knowledge/knowledge-page"), "KnowledgePage"),
  insights: lazyRouteComponent(() => import("@/areas/insights/insights-page"), "InsightsPage"),
  label: lazyRouteComponent(() => import("@/areas/insights/label-page"), "LabelPage"),
  iterations: lazyRouteComponent(() => import("@/areas/insights/iterations-page"), "IterationsPage"),
  questions: lazyRouteComponent(() => import("@/areas/insights/questions-page"), "QuestionsPage"),
  needsYou: lazyRouteComponent(() => import("@/areas/needs-you/needs-you-page"), "NeedsYouPage"),
  settings: lazyRouteComponent(() => import("@/areas/settings/settings-page"), "SettingsPage"),
};

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/features" });
  },
});
const projects = createRoute({
  getParentRoute: () => root,
  path: "/projects",
  component: area.projects,
  validateSearch: (s: Search) => said({ open: text(s.open) }),
});
const features = createRoute({
  getParentRoute: () => root,
  path: "/features",
  component: area.features,
  validateSearch: (s: Search) => said({ q: text(s.q), sort: oneOf(s.sort, ["name", "tasks"]), new: flag(s.new) }),
});
const feature = createRoute({
  getParentRoute: () => root,
  path: "/features/$name",
  component: area.feature,
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
  component: area.tasks,
  validateSearch: (s: Search) =>
    said({
      q: text(s.q),
      feature: text(s.feature),
      status: manyOf(s.status, TASK_STATUSES),
      priority: manyOf(s.priority, PRIORITIES),
      provenance: manyOf(s.provenance, PROVENANCES),
      ready: flag(s.ready),
      view: oneOf(s.view, ["graph"]),
      around: number(s.around),
      new: flag(s.new),
      import: flag(s.import),
    }),
});
const task = createRoute({
  getParentRoute: () => root,
  path: "/tasks/$id",
  beforeLoad: ({ params }) => numbered(params),
  component: area.task,
});
const loop = createRoute({
  getParentRoute: () => root,
  path: "/loop",
  component: area.loop,
  validateSearch: (s: Search) => said({ task: number(s.task) }),
});
const runSearch = (s: Search) =>
  said({ tab: oneOf(s.tab, ["live", "told", "changed", "hooks"]), show: oneOf(s.show, ["done", "failed"]) });
const run = createRoute({
  getParentRoute: () => root,
  path: "/loop/$run",
  beforeLoad: ({ params }) => numbered(params),
  component: area.run,
  validateSearch: runSearch,
});
const iteration = createRoute({
  getParentRoute: () => root,
  path: "/loop/$run/$iteration",
  beforeLoad: ({ params }) => numbered(params),
  component: area.run,
  validateSearch: runSearch,
});
const snapshots = createRoute({
  getParentRoute: () => root,
  path: "/loop/snapshots",
  component: area.snapshots,
  validateSearch: (s: Search) => said({ show: text(s.show) }),
});
const errand = createRoute({
  getParentRoute: () => root,
  path: "/loop/errands/$errand",
  beforeLoad: ({ params }) => numbered(params),
  component: area.errand,
});
const reviews = createRoute({ getParentRoute: () => root, path: "/review", component: area.reviews });
const review = createRoute({
  getParentRoute: () => root,
  path: "/review/$task",
  beforeLoad: ({ params }) => ofWork(params),
  component: area.review,
  validateSearch: (s: Search) => said({ commit: text(s.commit) }),
});
const knowledge = createRoute({
  getParentRoute: () => root,
  path: "/knowledge",
  component: area.knowledge,
  validateSearch: (s: Search) =>
    said({
      tab: oneOf(s.tab, ["memories", "documents", "consolidate", "review", "merge", "audit"]),
      part: oneOf(s.part, REVIEW_PARTS),
      q: text(s.q),
      kind: text(s.kind),
      feature: text(s.feature),
      state: manyOf(s.state, LEARNING_STATES),
      source: manyOf(s.source, LEARNING_SOURCES),
    }),
});
const insights = createRoute({ getParentRoute: () => root, path: "/insights", component: area.insights });
const label = createRoute({ getParentRoute: () => root, path: "/insights/label", component: area.label });
const iterations = createRoute({
  getParentRoute: () => root,
  path: "/insights/iterations",
  component: area.iterations,
  validateSearch: iterationSearch,
});
const questions = createRoute({
  getParentRoute: () => root,
  path: "/insights/questions",
  component: area.questions,
  validateSearch: questionSearch,
});
const needsYou = createRoute({
  getParentRoute: () => root,
  path: "/needs-you",
  component: area.needsYou,
  validateSearch: (s: Search) => said({ settled: flag(s.settled) }),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: area.settings,
  validateSearch: (s: Search) => said({ tab: oneOf(s.tab, ["worktrees"]), part: text(s.part) }),
});

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
  snapshots,
  errand,
  reviews,
  review,
  knowledge,
  insights,
  label,
  iterations,
  questions,
  needsYou,
  settings,
]);

/** Hash history: every entity has a URL, and a reload of the window finds it without a server. */
export function makeRouter(history: RouterHistory = createHashHistory()) {
  return createRouter({
    routeTree: tree,
    history,
    // Hovering a link loads the code behind it; no route has a loader, so nothing else happens.
    defaultPreload: "intent",
    // Only for the page: without it a failing page takes the whole window with it, and with that the way to stop a run.
    defaultErrorComponent: Broken,
    // The skeleton itself is delayed; once shown it need not stay for a minimum time.
    defaultPendingComponent: Skeleton,
    defaultPendingMs: 0,
    defaultPendingMinMs: 0,
    scrollRestoration: false,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
