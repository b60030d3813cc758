import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { ProjectsPage } from "@/areas/projects/projects-page";
import { queries } from "@/ipc";
import { Result } from "@/ui/query";
import { KeysHelp } from "./keys-help";
import { Palette } from "./palette";
import { Rail } from "./rail";
import { RunBar } from "./run-bar";
import { useGlobalKeys } from "./use-global-keys";

/** Without a project there is only the picker; with one, the shell around every page. */
export function Root() {
  const project = useQuery(queries.project());
  return <Result of={project}>{(open) => (open ? <Shell /> : <ProjectsPage />)}</Result>;
}

function Shell() {
  const { overlay, setOverlay } = useGlobalKeys();
  const { pathname } = useLocation();
  return (
    <div className="grid h-full grid-cols-[12.5rem_minmax(0,1fr)]" data-testid="shell">
      <Rail onSearch={() => setOverlay("palette")} onKeys={() => setOverlay("keys")} />
      <div className="flex min-h-0 min-w-0 flex-col">
        <RunBar />
        <main className="min-h-0 flex-1" key={pathname.split("/")[1]}>
          <Outlet />
        </main>
      </div>
      <Palette open={overlay === "palette"} onClose={() => setOverlay(null)} onKeys={() => setOverlay("keys")} />
      <KeysHelp open={overlay === "keys"} onClose={() => setOverlay(null)} />
    </div>
  );
}
