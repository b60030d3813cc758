/**
 * Every query of the window. A key starts with the topic that invalidates it; `meta.topics` names further ones.
 *
 * Length: a list of small declarations, whose keys and topics are compared side by side.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type {
  AgentKind,
  EffectOrder,
  IterationFilter,
  LearningFilter,
  LearningState,
  QuestionFilter,
  RecallQuery,
  TaskFilter,
  TaskList,
  Topic,
} from "./bindings";
import { commands } from "./bindings";

const also = (...topics: Topic[]) => ({ topics });

export const project = () =>
  queryOptions({
    queryKey: ["project", "current"],
    queryFn: () => commands.currentProject(),
    // The branch: an agent may have checked out another.
    meta: also("iterations"),
  });

export const recentProjects = () =>
  queryOptions({ queryKey: ["project", "recent"], queryFn: () => commands.recentProjects() });

export const refusedProject = () =>
  queryOptions({ queryKey: ["project", "refused"], queryFn: () => commands.refusedProject() });

export const overview = () =>
  queryOptions({
    queryKey: ["runs", "overview"],
    queryFn: () => commands.overview(),
    // What waits for the person's yes belongs to the settings.
    meta: also("features", "tasks", "learnings", "iterations", "notices", "settings"),
  });

/** What happened since the person last looked: it belongs to one moment, so no commit invalidates it. Asked again when they return. */
export const sinceLook = () =>
  queryOptions({
    queryKey: ["window", "since-look"],
    queryFn: () => commands.sinceLook(null),
    gcTime: Number.POSITIVE_INFINITY,
  });

export const notices = (all: boolean) =>
  queryOptions({ queryKey: ["notices", "list", all], queryFn: () => commands.listNotices(all) });

export const trust = () =>
  queryOptions({
    queryKey: ["settings", "trust"],
    queryFn: () => commands.getTrust(),
    // An editor changes files without a commit that would report it.
    staleTime: 0,
  });

/** The trust items of a folder that can't be opened yet. */
export const trustOf = (path: string) =>
  queryOptions({ queryKey: ["project", "trust", path], queryFn: () => commands.getTrustOf(path), staleTime: 0 });

/** Why nothing can be changed, if so: a newer Ralph has migrated the database, or the folder is read-only. */
export const writeRefusal = () =>
  queryOptions({
    queryKey: ["project", "write-refusal"],
    queryFn: () => commands.writeRefusal(),
    // Reported with everything else once the database is found to have been migrated.
    meta: also("settings"),
  });

/** Submodules whose files a new worktree lacks. */
export const emptyInWorktrees = () =>
  queryOptions({
    queryKey: ["settings", "empty-in-worktrees"],
    queryFn: () => commands.emptyInWorktrees(),
    // Modules are brought in by git, which no commit to the database reports.
    staleTime: 0,
  });

/** The folder of git hooks that a new worktree lacks. */
export const hooksMissingInWorktrees = () =>
  queryOptions({
    queryKey: ["settings", "hooks-missing-in-worktrees"],
    queryFn: () => commands.hooksMissingInWorktrees(),
    // As above: the folder is written by the project's tools.
    staleTime: 0,
  });

export const restoration = (path: string) =>
  queryOptions({
    queryKey: ["project", "restoration", path],
    queryFn: () => commands.restoration(path),
    staleTime: 0,
  });

export const features = () =>
  queryOptions({
    queryKey: ["features", "list"],
    queryFn: () => commands.listFeatures(),
    meta: also("tasks", "learnings"),
  });

export const feature = (name: string) =>
  queryOptions({
    queryKey: ["features", "one", name],
    queryFn: () => commands.getFeature(name),
    meta: also("tasks", "learnings"),
  });

/** The saturation of every feature in one query, which all bars share. */
export const saturations = () =>
  queryOptions({
    queryKey: ["learnings", "saturations"],
    queryFn: () => commands.getFeatureSaturations(),
    meta: also("features", "settings"),
  });

/** Every change is a journal line of a learning or of its feature. */
export const saturationHistory = (feature: string | null) =>
  queryOptions({
    queryKey: ["learnings", "saturation", feature],
    queryFn: () => commands.saturationHistory(feature),
    meta: also("features", "settings"),
  });

export const split = (feature: string) =>
  queryOptions({
    queryKey: ["learnings", "split", feature],
    queryFn: () => commands.getSplit(feature),
    meta: also("features", "tasks"),
  });

export const learnings = (feature: string | null, states: LearningState[]) =>
  queryOptions({
    queryKey: ["learnings", "list", feature, states],
    queryFn: () => commands.listLearnings(feature, states),
    placeholderData: keepPreviousData,
  });

/** Rows of a page of learnings: a few screens. */
export const LEARNINGS_OF_PAGE = 100;

/** A part of a list that may be long, by its number from 0 on. */
export const learningPage = (filter: LearningFilter, page: number) =>
  queryOptions({
    queryKey: ["learnings", "page", filter, page],
    queryFn: () => commands.learningPage(filter, page * LEARNINGS_OF_PAGE, LEARNINGS_OF_PAGE),
    meta: also("features"),
  });

export const learningCategories = (feature: string | null, states: LearningState[]) =>
  queryOptions({
    queryKey: ["learnings", "categories", feature, states],
    queryFn: () => commands.learningCategories(feature, states),
    placeholderData: keepPreviousData,
  });

/** The first active learnings with all of these words. */
export const learningsWith = (words: string[], most: number) =>
  queryOptions({
    queryKey: ["learnings", "with", words, most],
    queryFn: async () => (await commands.learningPage({ states: ["active"], words }, 0, most)).rows,
    placeholderData: keepPreviousData,
  });

/** The learnings that something names, in any state. */
export const learningsById = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ["learnings", "by-id", ids],
    queryFn: () => commands.learningsById([...ids]),
  });

/** Staged learnings: known on branches only. */
export const staged = (feature: string) =>
  queryOptions({
    queryKey: ["learnings", "staged", feature],
    queryFn: () => commands.listStaged(feature),
    meta: also("worktrees"),
  });

export const reviewQueue = () =>
  queryOptions({
    queryKey: ["learnings", "review"],
    queryFn: () => commands.reviewQueue(),
    meta: also("settings", "runs"),
  });

export const learningQualities = (feature: string) =>
  queryOptions({
    queryKey: ["learnings", "qualities", feature],
    queryFn: () => commands.learningQualities(feature),
  });

/** The answer to a question, with the learnings among its hits. */
export const recall = (request: RecallQuery) =>
  queryOptions({
    queryKey: ["passages", "recall", request],
    queryFn: async () => {
      const answer = await commands.recall(request);
      const ids = answer.hits.filter(({ kind }) => kind === "learning").map(({ id }) => id);
      return { answer, learnings: ids.length > 0 ? await commands.learningsById(ids) : [] };
    },
    placeholderData: keepPreviousData,
    meta: also("features", "settings", "learnings"),
  });

export const documents = () =>
  queryOptions({
    queryKey: ["passages", "documents"],
    queryFn: () => commands.listDocuments(),
    meta: also("features"),
  });

export const facts = () =>
  queryOptions({ queryKey: ["passages", "facts"], queryFn: () => commands.listFacts(), meta: also("features") });

export const episodes = () =>
  queryOptions({ queryKey: ["passages", "episodes"], queryFn: () => commands.listEpisodes(), meta: also("features") });

/** The tool calls that an episode was learned from. */
export const operationsBehind = (episode: string) =>
  queryOptions({ queryKey: ["passages", "operations", episode], queryFn: () => commands.operationsBehind(episode) });

/** What automatic learning stored, and what each mode would store. */
export const learningStatus = () =>
  queryOptions({
    queryKey: ["learnings", "status"],
    queryFn: () => commands.learningStatus(),
    meta: also("settings", "passages"),
  });

/** Junk among the memories. */
export const auditReport = () =>
  queryOptions({
    queryKey: ["learnings", "audit"],
    queryFn: () => commands.auditReport(),
    meta: also("passages", "tasks"),
    // A fact's file changes without a commit that would report it.
    staleTime: 0,
  });

export const documentText = (path: string) =>
  queryOptions({
    queryKey: ["passages", "document", path],
    queryFn: () => commands.readDocument(path),
  });

/** The pending change to the file for agents outside of Ralph. An editor changes it without a commit. */
export const agentsFile = (file: string | null) =>
  queryOptions({
    queryKey: ["learnings", "agents-file", file],
    queryFn: () => commands.agentsFile(file, "show"),
    meta: also("passages"),
    staleTime: 0,
  });

export const indexState = () =>
  queryOptions({
    queryKey: ["passages", "index"],
    queryFn: () => commands.indexState(),
    meta: also("settings"),
  });

export const mergeOffers = () =>
  queryOptions({ queryKey: ["learnings", "merge-offers"], queryFn: () => commands.listMergeOffers() });

export const mergeOfferCount = () =>
  queryOptions({ queryKey: ["learnings", "merge-offer-count"], queryFn: () => commands.countMergeOffers() });

export const journal = (feature: string, limit: number) =>
  queryOptions({
    queryKey: ["learnings", "journal", feature, limit],
    queryFn: () => commands.listJournal(feature, limit),
    // When more of it arrives, the reader stays where they are.
    placeholderData: (before, query) => (query?.queryKey[2] === feature ? before : undefined),
    meta: also("features", "iterations"),
  });

/** Several pages share the list of all tasks; each filter has its own. */
const isAll = (filter: TaskFilter) =>
  !filter.text &&
  !filter.feature &&
  [filter.statuses, filter.priorities, filter.provenances].every((of) => !of?.length);

/** The tasks that a list would become, without those that its feature already has. */
export const listedTasks = (list: TaskList) =>
  queryOptions({
    queryKey: ["tasks", "listed", list],
    queryFn: () => commands.listedTasks(list),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

export const tasks = (filter: TaskFilter) => {
  const asked = isAll(filter) ? {} : filter;
  return queryOptions({
    queryKey: ["tasks", "list", asked],
    queryFn: () => commands.listTasks(asked),
    placeholderData: keepPreviousData,
    // Whether a task is ready depends on the state of its feature, and whether it is stuck on a setting.
    meta: also("features", "settings"),
  });
};

export const task = (id: number) =>
  queryOptions({
    queryKey: ["tasks", "one", id],
    queryFn: () => commands.getTask(id),
    meta: also("iterations", "features", "settings"),
  });

/** They bear the titles of their tasks. */
export const reviews = () =>
  queryOptions({
    queryKey: ["worktrees", "reviews"],
    queryFn: () => commands.listReviews(),
    meta: also("iterations", "tasks"),
  });

export const review = (work: string) =>
  queryOptions({
    queryKey: ["worktrees", "review", work],
    queryFn: () => commands.getReview(work),
    meta: also("iterations", "tasks"),
  });

export const reviewDiff = (work: string, commit: string | null) =>
  queryOptions({
    queryKey: ["worktrees", "review-diff", work, commit],
    queryFn: () => commands.reviewDiff(work, commit, null),
    meta: also("iterations"),
  });

export const pullRequestText = (work: string) =>
  queryOptions({
    queryKey: ["tasks", "pull-request", work],
    queryFn: () => commands.pullRequestText(work),
    meta: also("iterations", "worktrees"),
  });

/** Reads git's history and compares entries by meaning, which takes a moment. */
export const consolidation = () =>
  queryOptions({
    queryKey: ["learnings", "consolidation"],
    queryFn: () => commands.consolidationView(),
    meta: also("features", "worktrees", "settings"),
    staleTime: 60_000,
  });

export const learningsToConsolidate = (feature: string) =>
  queryOptions({
    queryKey: ["learnings", "to-consolidate", feature],
    queryFn: () => commands.learningsToConsolidate(feature),
    meta: also("features", "worktrees", "settings"),
    staleTime: 60_000,
  });

/**
 * Folders change without a commit that would report it. Requested again when other work begins or ends, and not with each commit of an
 * iteration, since the sizes of all folders are measured.
 */
export const worktrees = (goingOn: string[]) =>
  queryOptions({
    queryKey: ["worktrees", "list", goingOn],
    queryFn: () => commands.listWorktrees(),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const prunableWorktrees = (withSnapshot: boolean) =>
  queryOptions({
    queryKey: ["worktrees", "prunable", withSnapshot],
    queryFn: () => commands.prunableWorktrees(withSnapshot),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** Snapshots are kept by git, and files change without a commit that would report it: both are looked at again while they are shown. */
export const snapshots = () =>
  queryOptions({
    queryKey: ["iterations", "snapshots"],
    queryFn: () => commands.listSnapshots(),
    staleTime: 0,
    refetchInterval: 3000,
    meta: also("worktrees"),
  });

export const snapshot = (name: string) =>
  queryOptions({
    queryKey: ["iterations", "snapshot", name],
    queryFn: () => commands.getSnapshot(name),
    staleTime: 0,
    refetchInterval: 3000,
    meta: also("worktrees"),
  });

export const nextPrompt = (task: number) =>
  queryOptions({
    queryKey: ["tasks", "prompt", task],
    queryFn: () => commands.nextPrompt(task),
    meta: also("features", "learnings", "passages", "iterations", "disciplines", "settings"),
  });

export const insights = () =>
  queryOptions({
    queryKey: ["iterations", "insights"],
    queryFn: () => commands.getInsights(),
    // What errands cost, too.
    meta: also("runs", "tasks", "learnings"),
  });

export const iterationsWhere = (filter: IterationFilter) =>
  infiniteQueryOptions({
    queryKey: ["iterations", "where", filter],
    queryFn: ({ pageParam }) => commands.iterationsWhere(filter, pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });

export const disciplines = () =>
  queryOptions({ queryKey: ["disciplines", "list"], queryFn: () => commands.listDisciplines() });

export const runs = () => queryOptions({ queryKey: ["runs", "list"], queryFn: () => commands.listRuns() });

export const run = (id: number) =>
  queryOptions({ queryKey: ["runs", "one", id], queryFn: () => commands.getRun(id), meta: also("iterations") });

/** The current activity of each worker. No commit reports it, so it is polled while it is shown. */
export const laneSignals = () =>
  queryOptions({
    queryKey: ["iterations", "lane-signals"],
    queryFn: () => commands.laneSignals(),
    refetchInterval: 1000,
  });

export const errands = () => queryOptions({ queryKey: ["runs", "errands"], queryFn: () => commands.listErrands() });

export const errand = (id: number) =>
  queryOptions({ queryKey: ["runs", "errand", id], queryFn: () => commands.getErrand(id) });

export const iteration = (id: number) =>
  queryOptions({
    queryKey: ["iterations", "one", id],
    queryFn: () => commands.getIteration(id),
    placeholderData: keepPreviousData,
  });

export const iterationDiff = (id: number) =>
  queryOptions({ queryKey: ["iterations", "diff", id], queryFn: () => commands.iterationDiff(id) });

export const settings = () => queryOptions({ queryKey: ["settings"], queryFn: () => commands.getSettings() });

/** When desktop notifications are shown: stored for this machine, in no project. */
export const announceChoice = () =>
  queryOptions({ queryKey: ["window", "announce"], queryFn: () => commands.announceChoice() });

/** Programs are installed and removed without a commit that would report it. */
export const agentCheck = (agent: AgentKind) =>
  queryOptions({
    queryKey: ["doctor", "agent", agent],
    queryFn: () => commands.checkAgent(agent),
    staleTime: 0,
    meta: also("settings"),
  });

export const folderLook = (path: string) =>
  queryOptions({ queryKey: ["project", "look", path], queryFn: () => commands.lookAtFolder(path), staleTime: 0 });

export const workOverTime = () =>
  queryOptions({
    queryKey: ["iterations", "over-time"],
    queryFn: () => commands.workOverTime(),
    meta: also("runs", "tasks"),
  });

/** Recorded questions are in a separate database, which no topic covers. */
export const evalInsights = () =>
  queryOptions({
    queryKey: ["learnings", "evaluation"],
    queryFn: () => commands.getEvalInsights(),
    staleTime: 0,
    meta: also("iterations", "settings"),
  });

/** The first learnings in an order of their effects. The previous rows stay while more of them, or another order, are on their way. */
export const learningEffects = (order: EffectOrder, limit: number) =>
  queryOptions({
    queryKey: ["iterations", "effects", order, limit],
    queryFn: () => commands.learningEffects(order, limit),
    placeholderData: keepPreviousData,
    meta: also("learnings"),
  });

export const questionRows = (filter: QuestionFilter) =>
  infiniteQueryOptions({
    queryKey: ["learnings", "questions", filter],
    queryFn: ({ pageParam }) => commands.questionRows({ ...filter, before: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
    meta: also("settings"),
  });

export const learningEvidence = (learning: string) =>
  queryOptions({
    queryKey: ["learnings", "evidence", learning],
    queryFn: () => commands.learningEvidence(learning),
    meta: also("iterations"),
  });

export const labelQueue = (skipped: number) =>
  queryOptions({
    queryKey: ["learnings", "labels", skipped],
    queryFn: () => commands.pairsToLabel(skipped),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** It looks at programs and files, too, which change without a commit that would report it. */
export const doctor = () =>
  queryOptions({ queryKey: ["doctor"], queryFn: () => commands.doctor(), staleTime: 0, meta: also("settings") });
