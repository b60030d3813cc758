import { useNavigate } from "@tanstack/react-router";
import { type CommandFault, pickFolder } from "@/ipc";
import { tellFault } from "@/lib/command";
import { useOpenProject } from "@/lib/project";
import { Button } from "@/ui/button";
import { ErrorNote } from "@/ui/state";
import { LostProject } from "./lost-project";

/** Errors that mean that the open project is no longer where it was opened. */
const GONE = ["project_gone", "project_lost"];

export function isGone(fault: CommandFault): boolean {
  return GONE.includes(fault.code);
}

/**
 * The open project was moved, deleted or replaced. Pages keep showing what was last read, and fields keep what was typed;
 * nothing is written before the person chooses how to continue.
 */
export function GoneProject({ path, fault }: { path: string; fault: CommandFault }) {
  const navigate = useNavigate();
  const open = useOpenProject("inline");
  const elsewhere = async () => {
    const folder = await pickFolder("Where the project stands now");
    if (folder !== null) open.mutate({ path: folder, init: false });
  };
  return (
    <section aria-label="The project is gone" className="shrink-0 border-b border-bad/40 bg-bad-soft px-6 py-3">
      <div className="flex max-h-[50vh] max-w-3xl flex-col gap-3 overflow-y-auto">
        <div role="alert">
          <p className="font-semibold">Nothing is written any more: the project is not where it was opened</p>
          <p className="selectable wrap-anywhere text-dim">{fault.message}. What you see is as it was last read.</p>
        </div>
        {open.fault && <ErrorNote fault={open.fault} />}
        <div className="flex flex-wrap gap-2">
          <Button disabled={open.isPending} onClick={() => open.mutate({ path, init: false })}>
            Look again
          </Button>
          <Button disabled={open.isPending} onClick={() => void elsewhere().catch(tellFault)}>
            It was moved: open it there…
          </Button>
          <Button look="ghost" onClick={() => void navigate({ to: "/projects" })}>
            Another project
          </Button>
        </div>
        <LostProject path={path} />
      </div>
    </section>
  );
}
