import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Folder, FolderOpen, GitBranch } from "lucide-react";
import { useEffect, useState } from "react";
import { pickFolder, queries } from "@/ipc";
import { tellFault } from "@/lib/command";
import { LOST, useOpenProject } from "@/lib/project";
import { rowKeys } from "@/lib/rows";
import { Button } from "@/ui/button";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { ErrorNote } from "@/ui/state";
import { ForeignProject } from "./foreign-project";
import { LostProject } from "./lost-project";

/** The picker: recent projects, any other folder, and what opening one does to it. */
export function ProjectsPage() {
  // Without a project this page replaces every other one.
  const { open: wanted } = useSearch({ strict: false });
  const { data: recent = [] } = useQuery(queries.recentProjects());
  const { data: current } = useQuery(queries.project());
  const open = useOpenProject("inline");
  const [fresh, setFresh] = useState<string | null>(null);
  const go = (path: string) => {
    open.mutate({ path, init: false }, { onError: () => setFresh(path) });
  };
  // A folder without `.ralph` is not an error: the person is asked whether to create a project.
  const uninitialised = open.fault?.code === "no_project";
  const { data: refused } = useQuery(queries.refusedProject());
  // A folder named at startup or chosen in the rail is tried again here, where an error and the way out can be shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the folder is known.
  useEffect(() => {
    const path = wanted ?? refused;
    if (path) go(path);
  }, [wanted, refused]);
  const { data: look } = useQuery({ ...queries.folderLook(fresh ?? ""), enabled: uninitialised && fresh !== null });
  const pick = async () => {
    const path = await pickFolder("Open a project");
    if (path !== null) go(path);
  };
  return (
    <div className="flex h-full flex-col items-center overflow-y-auto px-6 py-[10vh]" data-testid="projects">
      <div className="w-full max-w-xl">
        <h1 className="text-lg font-semibold tracking-tight">{current ? "Projects" : "Open a project"}</h1>
        <p className="mt-1 text-dim">
          A project is a git repository. Ralph keeps its tasks and what it learns in its folder{" "}
          <code className="font-mono">.ralph</code>; what is learned can be committed and shared.
        </p>
        <Button look="primary" className="mt-4 h-8" onClick={() => void pick().catch(tellFault)}>
          <FolderOpen size={14} aria-hidden="true" /> Open folder…
        </Button>
        {open.fault && !uninitialised && (
          <div className="mt-4 flex flex-col gap-3">
            {/* What stands in such a folder is listed below, with the button that agrees to it. */}
            {fresh !== null && (
              <p className="selectable wrap-anywhere">
                Not opened: <code className="font-mono text-xs">{fresh}</code>
              </p>
            )}
            {(fresh === null || open.fault.code !== "untrusted") && <ErrorNote fault={open.fault} />}
            {fresh !== null && LOST.includes(open.fault.code) && <LostProject path={fresh} />}
            {fresh !== null && open.fault.code === "untrusted" && (
              <ForeignProject path={fresh} onAgreed={() => go(fresh)} />
            )}
          </div>
        )}
        {recent.length > 0 && (
          <section className="mt-8">
            <h2 className="mb-2 text-xs font-medium text-faint">Recent</h2>
            <ul className="overflow-hidden rounded-lg border border-line bg-panel" onKeyDown={rowKeys}>
              {recent.map((project) => (
                <li key={project.path} className="border-b border-line last:border-0">
                  <button
                    type="button"
                    data-row
                    disabled={open.isPending}
                    onClick={() => go(project.path)}
                    className="flex w-full items-center gap-3 px-3 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
                  >
                    <Folder size={15} strokeWidth={1.75} className="shrink-0 text-faint" aria-hidden="true" />
                    <span className="min-w-0 flex-1">
                      <span className="block font-medium">{project.name}</span>
                      <span className="block truncate text-xs text-faint">{project.path}</span>
                    </span>
                    {project.branch && (
                      <span className="flex items-center gap-1 text-xs text-faint">
                        <GitBranch size={12} aria-hidden="true" /> {project.branch}
                      </span>
                    )}
                    {project.path === current?.path && <span className="text-xs text-accent">open</span>}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <Dialog
        open={uninitialised && fresh !== null}
        onClose={() => open.reset()}
        title="Use Ralph in this folder?"
        onSubmit={() => fresh !== null && open.mutate({ path: fresh, init: true })}
        footer={
          <DialogEnd
            send={look?.is_repository === false ? "Set up Ralph without git" : "Set up Ralph here"}
            onCancel={() => open.reset()}
            autoFocus
          />
        }
      >
        <p className="selectable font-mono text-xs wrap-anywhere text-dim">{fresh}</p>
        {look?.is_repository === false && <WithoutGit />}
        {look?.is_repository && !look.has_commits && (
          <p className="mt-2 text-dim">
            The repository has no commit yet. Until there is one, work can't be done in worktrees, and only one worker
            can be at work.
          </p>
        )}
        <p className="mt-2 pb-2">
          This makes a folder <code className="font-mono">.ralph</code> with settings, a database and journals. Nothing
          of yours is touched{look?.is_repository !== false && "; git is told to leave the database out"}. Copies of the
          database are kept outside, so that a deleted folder can come back.
        </p>
      </Dialog>
    </div>
  );
}

/** What does not work in a folder without git although a person might rely on it. */
const WITHOUT_GIT = [
  "no commit, difference or review of what an agent changed",
  "no snapshot of your own uncommitted work, so that nothing an agent overwrites comes back",
  "one worker only, since there are no worktrees",
  "knowledge that does not age, since age is counted in days with commits",
];

function WithoutGit() {
  return (
    <div role="note" className="mt-2 rounded-lg border border-warn/40 bg-warn-soft px-3 py-2">
      <p className="font-medium">This folder is not a git repository. Without git there is</p>
      <ul className="mt-1 list-disc pl-5 text-dim">
        {WITHOUT_GIT.map((cost) => (
          <li key={cost}>{cost}</li>
        ))}
      </ul>
      <p className="mt-1 text-dim">
        <code className="font-mono">git init</code> in the folder, and a first commit, avoid all of it.
      </p>
    </div>
  );
}
