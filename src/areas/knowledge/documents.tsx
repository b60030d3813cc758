import { useQuery } from "@tanstack/react-query";
import { Bot, FilePlus, FileText, FolderPlus, RefreshCw } from "lucide-react";
import { useState } from "react";
import { commands, type IngestOutcome, pickDocuments, pickFolder, queries } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, tellFault, useCommand } from "@/lib/command";
import { useDroppedFiles } from "@/lib/dropped-files";
import { count } from "@/lib/format";
import { Button } from "@/ui/button";
import { DocumentDialog } from "@/ui/document-dialog";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { PageRows } from "@/ui/virtual-list";
import { AgentsFile } from "./agents-file";

/** Ingested files of the project, searched section by section; files can be added and dropped here. */
export function Documents() {
  const documents = useQuery(queries.documents());
  const [answer, setAnswer] = useState<IngestOutcome>();
  const [shown, setShown] = useState<string>();
  const [telling, setTelling] = useState(false);
  const ingest = useCommand((paths: string[]) => commands.ingestDocuments(paths), { onDone: setAnswer });
  const forget = useCommand((path: string) => commands.forgetDocuments([path]), {
    onDone: ({ forgotten, kept }) =>
      tellDone(forgotten.length > 0 ? "Forgotten; the file stays" : (kept[0]?.reason ?? "Nothing was known from it")),
  });
  const pick = (paths: Promise<string[]>) =>
    void paths.then((chosen) => chosen.length > 0 && ingest.mutate(chosen)).catch(tellFault);
  const over = useDroppedFiles((paths) => ingest.mutate(paths));
  const folder = () => pickFolder("Bring in a folder").then((path) => (path === null ? [] : [path]));
  return (
    <section aria-label="Documents" data-scroller className={cn("min-h-0 flex-1 overflow-y-auto", over && "bg-hover")}>
      <div className="flex flex-wrap items-center gap-2 px-6 py-3">
        <Button disabled={ingest.isPending} onClick={() => pick(pickDocuments("Bring in files"))}>
          <FilePlus size={14} aria-hidden="true" /> Files…
        </Button>
        <Button disabled={ingest.isPending} onClick={() => pick(folder())}>
          <FolderPlus size={14} aria-hidden="true" /> Folder…
        </Button>
        <Button disabled={ingest.isPending} onClick={() => ingest.mutate([])}>
          <RefreshCw size={14} aria-hidden="true" /> Look again
        </Button>
        <Button onClick={() => setTelling(true)}>
          <Bot size={14} aria-hidden="true" /> AGENTS.md…
        </Button>
        <p className="text-xs text-faint">
          or drop files and folders of the project here; changes are picked up automatically
        </p>
      </div>
      {answer && <Answer answer={answer} />}
      <Result of={documents}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={FileText} title="No documents yet">
              Files that are brought in, and those that a feature names as its written knowledge, are searched beside
              what was learned.
            </Empty>
          ) : (
            <PageRows
              label="All documents"
              items={all}
              keyOf={({ path }) => path}
              estimate={37}
              render={({ path, feature, sections }) => (
                <div className="flex items-center gap-3 border-t border-line px-6 py-1.5 hover:bg-hover">
                  <button
                    type="button"
                    title={path}
                    className="min-h-6 min-w-0 flex-1 truncate text-left hover:text-accent"
                    onClick={() => setShown(path)}
                  >
                    {path}
                  </button>
                  {feature && <span className="text-xs text-dim">{feature}</span>}
                  <span className="num text-xs text-faint">{count(sections, "section")}</span>
                  <Button size="sm" aria-label={`Forget ${path}`} onClick={() => forget.mutate(path)}>
                    Forget
                  </Button>
                </div>
              )}
            />
          )
        }
      </Result>
      {telling && <AgentsFile onClose={() => setTelling(false)} />}
      {shown && <DocumentDialog place={{ file: shown, line: 1 }} onClose={() => setShown(undefined)} />}
    </section>
  );
}

function Answer({ answer: { ingested, skipped } }: { answer: IngestOutcome }) {
  return (
    <div role="status" className="px-6 pb-3 text-xs">
      <p>{count(ingested.length, "document")} known</p>
      {skipped.length > 0 && (
        <details>
          <summary className="text-warn">{skipped.length} skipped</summary>
          <ul className="selectable text-dim">
            {skipped.map(({ path, reason }) => (
              <li key={path}>
                {path}: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
