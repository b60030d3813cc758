import { useQuery } from "@tanstack/react-query";
import { queries, toFault } from "@/ipc";
import { useOpenProject } from "@/lib/project";
import { Button } from "@/ui/button";
import { ErrorNote } from "@/ui/state";

/** Why nothing can be changed here, before anybody finds out by trying; what can be read stays on screen. */
export function UnwritableProject() {
  const { data: project } = useQuery(queries.project());
  const { data: refusal } = useQuery(queries.writeRefusal());
  const open = useOpenProject("inline");
  if (!project || !refusal) return null;
  const { code, message, hint } = toFault(refusal);
  const isOlder = code === "newer_database";
  return (
    <section aria-label="Nothing can be changed" className="shrink-0 border-b border-warn/40 bg-warn-soft px-6 py-3">
      <div className="flex max-w-3xl flex-col gap-2">
        <div role="alert">
          <p className="font-semibold">
            {isOlder ? "A newer Ralph has taken over this project" : "Nothing can be changed in this project"}
          </p>
          <p className="selectable wrap-anywhere text-dim">
            {isOlder
              ? "This window still shows what it can read of it, which may lack something, and changes nothing. Close it, and open the project with the newer Ralph."
              : [message, hint].map((words) => words && `${words}.`).join(" ")}
          </p>
        </div>
        {open.fault && <ErrorNote fault={open.fault} />}
        {!isOlder && (
          <div>
            <Button disabled={open.isPending} onClick={() => open.mutate({ path: project.path, init: false })}>
              Look again
            </Button>
          </div>
        )}
      </div>
    </section>
  );
}
