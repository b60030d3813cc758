import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { commands, type Discipline, type DisciplinePatch, type McpServer, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { lines, TYPED_BEFORE, useDraft } from "@/lib/draft";
import { shortNameOf } from "@/lib/names";
import { Button } from "@/ui/button";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { AreaField, TextField } from "@/ui/field";
import { Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { ErrorNote } from "@/ui/state";

const NEW: Discipline = { name: "", display_name: "", persona: "", conventions: "", skills: [], mcp_servers: [] };

/** Disciplines: each can be edited, and more can be created. */
export function Disciplines() {
  const disciplines = useQuery(queries.disciplines());
  const [edited, setEdited] = useState<Discipline>();
  return (
    <Section title="Disciplines" note="how work is done">
      <Result of={disciplines} rows={4}>
        {(all) => (
          <ul aria-label="Disciplines" className="mb-2 flex flex-col">
            {all.map((discipline) => (
              <li key={discipline.name}>
                <button
                  type="button"
                  className="w-full truncate rounded px-1 py-0.5 text-left hover:bg-hover"
                  title={discipline.persona}
                  onClick={() => setEdited(discipline)}
                >
                  {discipline.display_name}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Result>
      <Button disabled={!disciplines.data} onClick={() => setEdited(NEW)}>
        New discipline…
      </Button>
      {edited && <DisciplineForm stored={edited} all={disciplines.data ?? []} onClose={() => setEdited(undefined)} />}
    </Section>
  );
}

/** A server as one line: its name, `=`, and its command with spaces between arguments; as JSON if an argument contains a space. */
function lineOf(server: McpServer): string {
  const parts = [server.command, ...(server.args ?? [])];
  const plain = parts.every((part) => part !== "" && !/\s/.test(part));
  return plain ? `${server.name}=${parts.join(" ")}` : JSON.stringify(server);
}

/** `undefined` if the line names no server and command. */
function serverOf(line: string): McpServer | undefined {
  const server = line.startsWith("{") ? parsed(line) : split(line);
  return server?.name && server.command ? server : undefined;
}

function parsed(line: string): McpServer | undefined {
  try {
    return { args: [], ...(JSON.parse(line) as McpServer) };
  } catch {
    return undefined;
  }
}

function split(line: string): McpServer {
  const at = line.indexOf("=");
  const [command = "", ...args] = line
    .slice(at + 1)
    .trim()
    .split(/\s+/);
  return { name: at < 0 ? "" : line.slice(0, at).trim(), command, args };
}

type Form = { display_name: string; persona: string; conventions: string; skills: string; servers: string };

const formOf = ({ display_name, persona, conventions, skills, mcp_servers }: Discipline): Form => ({
  display_name,
  persona,
  conventions,
  skills: skills.join("\n"),
  servers: mcp_servers.map(lineOf).join("\n"),
});

/** Sends only the changed fields: what somebody else changed meanwhile is not overwritten. */
function patchOf(draft: Form, stored: Form): DisciplinePatch {
  const patch: DisciplinePatch = {};
  if (draft.display_name !== stored.display_name) patch.display_name = draft.display_name;
  if (draft.persona !== stored.persona) patch.persona = draft.persona;
  if (draft.conventions !== stored.conventions) patch.conventions = draft.conventions;
  if (draft.skills !== stored.skills) patch.skills = lines(draft.skills);
  if (draft.servers !== stored.servers)
    patch.mcp_servers = lines(draft.servers).flatMap((line) => serverOf(line) ?? []);
  return patch;
}

/** Why it can't be saved. */
function fault(noName: string | undefined, isTaken: boolean, isWrong: boolean, isChanged: boolean): string | undefined {
  if (noName) return noName;
  if (isTaken) return "Its name is taken";
  if (isWrong) return "A server can't be read";
  return isChanged ? undefined : "Nothing is changed";
}

function DisciplineForm({ stored, all, onClose }: { stored: Discipline; all: Discipline[]; onClose: () => void }) {
  const fresh = stored.name === "";
  const before = formOf(stored);
  // Only what was typed is kept, so that Escape loses nothing and an old draft hides nothing.
  const [typed, change, clear] = useDraft<Partial<Form & { name: string }>>(`discipline.${stored.name}`, {});
  const draft = { ...before, name: "", ...typed };
  const { name, lacks: noName } = shortNameOf(fresh ? draft : { ...draft, name: stored.name });
  const save = useCommand(async () => commands.setDiscipline(name, patchOf(draft, before)), {
    errors: "inline",
    onDone: () => {
      tellDone("Saved");
      clear();
      onClose();
    },
  });
  const cancel = () => {
    clear();
    onClose();
  };
  // The saved values arrive in the list before the form closes.
  const isTaken = fresh && !save.isPending && all.some((one) => one.name === name.toLowerCase());
  const isChanged = (Object.keys(before) as (keyof Form)[]).some((field) => draft[field] !== before[field]);
  const [isOld] = useState(isChanged);
  const wrong = draft.servers === before.servers ? undefined : lines(draft.servers).find((line) => !serverOf(line));
  const isBlank = draft.display_name.trim() === "";
  const lacks = fault(isBlank ? "A name is missing" : noName, isTaken, wrong !== undefined, isChanged);
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={fresh ? "New discipline" : `Edit ${stored.display_name}`}
      description={isOld ? TYPED_BEFORE : undefined}
      writing={save.isPending}
      onSubmit={() => lacks === undefined && save.mutate(undefined)}
      footer={<DialogEnd send="Save" onCancel={cancel} lacks={lacks} />}
    >
      <div className="flex flex-col gap-3">
        <TextField
          label="Name"
          error={isTaken ? `There is '${name}' already: edit it in the list, or choose another name.` : undefined}
          value={draft.display_name}
          onChange={(display_name) => change({ display_name })}
        />
        {fresh && (
          <TextField
            mono
            label="Short name"
            hint="By which tasks and commands name it; it never changes."
            placeholder={name || "backend"}
            value={draft.name}
            onChange={(name) => change({ name })}
          />
        )}
        <AreaField label="Who the agent is" value={draft.persona} onChange={(persona) => change({ persona })} />
        <AreaField
          label="Working rules"
          hint="One per line."
          value={draft.conventions}
          onChange={(conventions) => change({ conventions })}
        />
        <AreaField
          label="Skills"
          hint="Names of skills that the agent may use, one per line."
          value={draft.skills}
          onChange={(skills) => change({ skills })}
        />
        <AreaField
          label="MCP servers"
          hint="NAME=COMMAND with spaces between arguments, one per line; started for agents."
          error={wrong && `Write NAME=COMMAND; this is not a server: ${wrong}`}
          value={draft.servers}
          onChange={(servers) => change({ servers })}
        />
        {save.fault && <ErrorNote fault={save.fault} />}
      </div>
    </Dialog>
  );
}
