import { notifyManager, type QueryState, useQuery, useQueryClient } from "@tanstack/react-query";
import { CatchBoundary, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { GoneProject, isGone } from "@/areas/projects/gone-project";
import { UnwritableProject } from "@/areas/projects/unwritable-project";
import { commands, queries, toFault } from "@/ipc";
import { tellFault } from "@/lib/command";
import { useMedia, useNow } from "@/lib/hooks";
import { Result } from "@/ui/query";
import { ErrorNote, Skeleton } from "@/ui/state";
import { Rail } from "./rail";
import { RunBar } from "./run-bar";
import { SinceYouLeft } from "./since";
import { useGlobalKeys } from "./use-global-keys";
import { useKeptFocus } from "./use-kept-focus";
import { useScrollReturn } from "./use-scroll-return";

const ProjectsPage = lazy(() => import("@/areas/projects/projects-page").then((m) => ({ default: m.ProjectsPage })));
const Palette = lazy(() => import("./palette").then((m) => ({ default: m.Palette })));
const KeysHelp = lazy(() => import("./keys-help").then((m) => ({ default: m.KeysHelp })));

/** Windows so low, or text so large, that what happened would leave no room for the page. */
const SHORT = "(max-height: 520px)";

/** The page that the window begins with, and the only one with room for all of what happened. */
const FIRST_PAGE = "/features";

/** Milliseconds after the first page until the palette is rehearsed, so that it opens fast. */
const REHEARSAL_AFTER = 1500;

/** Whether the palette is to be drawn invisibly, and a function that ends that. */
function useRehearsal(): [boolean, () => void] {
  const [on, setOn] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOn(true), REHEARSAL_AFTER);
    return () => clearTimeout(timer);
  }, []);
  return [on, useCallback(() => setOn(false), [])];
}

/** Without a project there is only the picker; with one, the shell around every page. */
export function Root() {
  const project = useQuery(queries.project());
  const { refetch } = project;
  const client = useQueryClient();
  useEffect(() => {
    // No commit to the database shows that another branch was checked out, as in a terminal beside the window, or that the base of work in
    // review moved on.
    const look = () => {
      void refetch();
      for (const what of ["reviews", "review"]) void client.invalidateQueries({ queryKey: ["worktrees", what] });
    };
    window.addEventListener("focus", look);
    return () => window.removeEventListener("focus", look);
  }, [refetch, client]);
  return (
    <Result of={project}>
      {(open) => (
        <Suspense fallback={<Skeleton />}>
          {open ? (
            <Shell />
          ) : (
            <main className="h-full">
              <ProjectsPage />
            </main>
          )}
        </Suspense>
      )}
    </Result>
  );
}

/** The window's title: the project, and the number of items that need the person. */
function useTitle(): void {
  const { data: project } = useQuery(queries.project());
  const { data: overview } = useQuery(queries.overview());
  const waiting = overview?.needs_you_count ?? 0;
  const title = `${waiting > 0 ? `(${waiting}) ` : ""}${project?.name ?? ""} – Ralph`;
  useEffect(() => {
    document.title = title;
    // A desktop that rejects the name shows the old one.
    commands.nameWindow(title).catch(() => undefined);
  }, [title]);
}

/**
 * Why something on screen could not be refreshed: for the overview at once, for anything else while its old answer is still shown. If more
 * rows of a list were requested, those shown are as current as before, and the list reports the error itself.
 */
function useUnread(): { error: unknown; stale: boolean } | null {
  const { data, error } = useQuery(queries.overview());
  const cache = useQueryClient().getQueryCache();
  const other = useSyncExternalStore(
    useCallback((changed) => cache.subscribe(notifyManager.batchCalls(changed)), [cache]),
    () => cache.findAll({ type: "active" }).find(({ state }) => isStale(state))?.state.error,
  );
  if (error) return { error, stale: data !== undefined };
  return other ? { error: other, stale: true } : null;
}

function isStale({ error, data, fetchMeta }: QueryState): boolean {
  return error !== null && data !== undefined && !fetchMeta?.fetchMore;
}

/** A notice that the open project is gone, or can't be read any more: old answers stay on screen, and would be taken for new ones. */
function Gone() {
  const { data: project } = useQuery(queries.project());
  const client = useQueryClient();
  const unread = useUnread();
  if (!project || !unread) return null;
  const fault = toFault(unread.error);
  if (isGone(fault)) return <GoneProject path={project.path} fault={fault} />;
  return (
    <section aria-label="The project can't be read" className="flex shrink-0 flex-col gap-1 px-6 pt-3">
      <ErrorNote fault={fault} onRetry={() => void client.refetchQueries({ type: "active" })} />
      {unread.stale && <p className="text-xs text-dim">What you see is as it was last read.</p>}
    </section>
  );
}

/** Requests everything again on a new day: what is counted by days changes without a commit, in a window that stays open overnight. */
function NewDay() {
  const client = useQueryClient();
  const day = new Date(useNow(60_000)).toDateString();
  const asked = useRef(day);
  useEffect(() => {
    if (asked.current === day) return;
    asked.current = day;
    // What happened since the last look belongs to the moment of that look.
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "window" });
  }, [day, client]);
  return null;
}

function Shell() {
  useTitle();
  useScrollReturn();
  useKeptFocus();
  const { overlay, setOverlay } = useGlobalKeys();
  // The frame around the page is not drawn again when something opens above it.
  const search = useCallback(() => setOverlay("palette"), [setOverlay]);
  const keys = useCallback(() => setOverlay("keys"), [setOverlay]);
  const close = useCallback(() => setOverlay(null), [setOverlay]);
  const page = useRef<HTMLElement>(null);
  const [rehearses, onRehearsed] = useRehearsal();
  const short = useMedia(SHORT);
  const { pathname } = useLocation();
  const parts = pathname.split("/").filter((part) => part !== "");
  return (
    <div
      className="grid h-full grid-cols-[12.5rem_minmax(0,1fr)] max-[900px]:grid-cols-[3.25rem_minmax(0,1fr)]"
      data-testid="shell"
    >
      <button
        type="button"
        className="sr-only z-50 rounded-md bg-accent px-3 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:h-8"
        onClick={() => page.current?.focus()}
      >
        Skip to the page
      </button>
      <Rail onSearch={search} onKeys={keys} />
      <div className="flex min-h-0 min-w-0 flex-col">
        <RunBar />
        <Gone />
        <UnwritableProject />
        <NewDay />
        <SinceYouLeft brief={short || pathname !== FIRST_PAGE} />
        <main ref={page} tabIndex={-1} className="min-h-0 flex-1 outline-none" key={parts[0]}>
          <Outlet />
        </main>
      </div>
      {/* What opens above the page, and is rehearsed unseen, must not take the page with it, nor the way to stop a run. */}
      <CatchBoundary getResetKey={() => overlay ?? ""} errorComponent={() => null} onCatch={tellFault}>
        <Suspense>
          {(overlay === "palette" || (rehearses && overlay === null)) && (
            <Palette open={overlay === "palette"} onRehearsed={onRehearsed} onClose={close} onKeys={keys} />
          )}
          {overlay === "keys" && <KeysHelp open onClose={close} />}
        </Suspense>
      </CatchBoundary>
    </div>
  );
}
