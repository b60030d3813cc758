import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useEffect } from "react";
import { commands, pickTarget, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { usePageActions } from "@/lib/page-actions";
import { Button } from "@/ui/button";
import { partId, Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { type Tab, TabPanel, Tabs } from "@/ui/tabs";
import { Announcements } from "./announcements";
import { Disciplines } from "./disciplines";
import { Doctor } from "./doctor";
import { Privacy } from "./privacy";
import { SearchIndex } from "./search-index";
import { SettingsForm } from "./settings-form";
import { Worktrees } from "./worktrees";

const route = getRouteApi("/settings");
type TabName = "project" | "worktrees";
const TABS: Tab<TabName>[] = [
  { value: "project", label: "Project" },
  { value: "worktrees", label: "Worktrees" },
];

export function SettingsPage() {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (next: TabName) =>
    void navigate({ search: { tab: next === "project" ? undefined : next }, replace: true });
  usePageActions(
    TABS.map(({ value, label }) => ({ words: `Settings: ${label.toLowerCase()}`, go: () => show(value) })),
  );
  return (
    <div className="flex h-full min-h-0 flex-col low:overflow-x-hidden low:overflow-y-auto">
      <header className="flex min-h-14 shrink-0 items-center gap-3 px-6 pt-3 pb-2">
        <h1 className="text-lg font-semibold tracking-tight">Settings</h1>
        <p className="text-dim">kept in .ralph/config.toml, comments included</p>
      </header>
      <Tabs<TabName> label="Parts of the settings" value={tab ?? "project"} onChange={show} tabs={TABS}>
        <TabPanel value="project">
          <Project />
        </TabPanel>
        <TabPanel value="worktrees">
          <Worktrees />
        </TabPanel>
      </Tabs>
    </div>
  );
}

function Project() {
  const settings = useQuery(queries.settings());
  const { part } = route.useSearch();
  const isThere = settings.data !== undefined;
  useEffect(() => {
    if (part && isThere) document.getElementById(partId(part))?.scrollIntoView({ block: "start" });
  }, [part, isThere]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_21rem] gap-10 max-[900px]:grid-cols-1 max-[900px]:gap-4 px-6 pb-10">
      <Result of={settings}>{(stored) => <SettingsForm stored={stored} />}</Result>
      <div>
        <Doctor />
        <SearchIndex />
        <Disciplines />
        <Announcements />
        <Privacy />
        <Backup />
      </div>
    </div>
  );
}

function Backup() {
  const save = useCommand(
    async () => {
      const path = await pickTarget("Export to", "ralph-export.json");
      return path === null ? null : commands.exportProject(path);
    },
    { works: true, onDone: (path) => path !== null && tellDone(`Exported to ${path}`) },
  );
  return (
    <Section title="Export">
      <p className="mb-2 text-dim">
        Everything that Ralph knows about this project, in one JSON file. Copies of the database are kept automatically.
      </p>
      <Button disabled={save.isPending} onClick={() => save.mutate(undefined)}>
        <Download size={14} aria-hidden="true" /> {save.isPending ? "Exporting…" : "Export"}
      </Button>
    </Section>
  );
}
