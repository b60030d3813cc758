import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type AgentsFileAct, commands, queries } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { Button } from "@/ui/button";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { Result } from "@/ui/query";
import { Select } from "@/ui/select";
import { ErrorNote } from "@/ui/state";

const FILES = ["AGENTS.md", "CLAUDE.md"];

/** The section for agents outside of Ralph; the difference is shown before anything is written. */
export function AgentsFile({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<string | null>(null);
  const change = useQuery(queries.agentsFile(file));
  const act = useCommand(
    (what: AgentsFileAct) => commands.agentsFile(change.data?.file ?? file, what).then((done) => ({ what, done })),
    {
      errors: "inline",
      onDone: ({ what, done }) => {
        const words = what === "remove" ? `The section is out of ${done.file}` : `${done.file} is written`;
        tellDone(done.written ? words : `${done.file} holds no section of Ralph's`);
        onClose();
      },
    },
  );
  const shown = change.data;
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="What agents outside of Ralph are told"
      description="Facts of the manifests, and learnings that a person wrote or reviewed, between two marks. The rest of the file stays yours."
      onSubmit={() => shown?.changed && act.mutate("write")}
      footer={
        <>
          <Button
            className="mr-auto"
            look="ghost"
            disabled={!shown || act.isPending}
            onClick={() => act.mutate("remove")}
          >
            Remove the section
          </Button>
          <DialogEnd
            send={`Write into ${shown?.file ?? "the file"}`}
            onCancel={onClose}
            lacks={act.isPending ? "Writing…" : shown ? (shown.changed ? undefined : "Nothing changes") : "Reading…"}
          />
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Select
          label="File"
          className="h-7 w-fit bg-panel"
          value={shown?.file ?? file ?? ""}
          onChange={setFile}
          options={FILES.map((name) => ({ value: name, label: name }))}
        />
        <Result of={change} rows={4}>
          {({ diff, changed, file: name }) =>
            changed ? (
              <Lines diff={diff} label={`What changes in ${name}`} />
            ) : (
              <p className="text-dim">{name} is up to date.</p>
            )
          }
        </Result>
        {shown && shown.left_out > 0 && (
          <p className="text-dim">
            {shown.left_out} from a clone or a pull {shown.left_out === 1 ? "is" : "are"} left out: nobody reviewed{" "}
            {shown.left_out === 1 ? "it" : "them"} here.
          </p>
        )}
        {act.fault && <ErrorNote fault={act.fault} />}
      </div>
    </Dialog>
  );
}

/** Added and removed lines, without the two that only name the file. */
function Lines({ diff, label }: { diff: string; label: string }) {
  const lines = diff.split("\n").filter((line) => !line.startsWith("--- ") && !line.startsWith("+++ "));
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      className="max-h-96 overflow-auto rounded-lg border border-line bg-bg px-3 py-2"
    >
      <pre className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines may repeat, and none moves.
          <span key={at} className={cn("block min-h-4.5", tone(line))}>
            {line}
          </span>
        ))}
      </pre>
    </section>
  );
}

function tone(line: string): string {
  if (line.startsWith("+")) return "text-ok";
  if (line.startsWith("-")) return "text-bad";
  return line.startsWith("@@") ? "text-faint" : "text-dim";
}
