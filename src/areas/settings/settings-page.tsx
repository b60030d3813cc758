import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { commands, pickTarget, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { Button } from "@/ui/button";
import { Page, Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { Announcements } from "./announcements";
import { Disciplines } from "./disciplines";
import { Doctor } from "./doctor";
import { SearchIndex } from "./search-index";
import { SettingsForm } from "./settings-form";

export function SettingsPage() {
  const settings = useQuery(queries.settings());
  return (
    <Page title="Settings" sub="kept in .ralph/config.toml, comments included">
      <div className="grid grid-cols-[minmax(0,1fr)_21rem] gap-10 px-6 pb-10">
        <Result of={settings}>{(stored) => <SettingsForm stored={stored} />}</Result>
        <div>
          <Doctor />
          <SearchIndex />
          <Disciplines />
          <Announcements />
          <Backup />
        </div>
      </div>
    </Page>
  );
}

function Backup() {
  const save = useCommand(
    async () => {
      const path = await pickTarget("Export to", "ralph-export.json");
      return path === null ? null : commands.exportProject(path);
    },
    { onDone: (path) => path !== null && tellDone(`Exported to ${path}`) },
  );
  return (
    <Section title="Export">
      <p className="mb-2 text-dim">
        Everything that Ralph knows of this project in one JSON file. Copies of the database are kept beside it by
        themselves.
      </p>
      <Button disabled={save.isPending} onClick={() => save.mutate(undefined)}>
        <Download size={14} aria-hidden="true" /> {save.isPending ? "Exporting…" : "Export"}
      </Button>
    </Section>
  );
}
