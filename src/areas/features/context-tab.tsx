import { ACRONYM_CHARS, commands, type Feature, type FeaturePatch } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { lines, useDraftOf } from "@/lib/draft";
import { numberFault } from "@/lib/setting-ranges";
import { Button } from "@/ui/button";
import { AreaField, NumberField, TextField } from "@/ui/field";
import { ErrorNote } from "@/ui/state";
import { LeaveUnsaved, useUnsaved } from "@/ui/unsaved";

function draftOf(feature: Feature) {
  return {
    display_name: feature.display_name,
    acronym: feature.acronym,
    description: feature.description,
    architecture: feature.architecture,
    boundaries: feature.boundaries,
    context_files: feature.context_files.join("\n"),
    knowledge_paths: feature.knowledge_paths.join("\n"),
    dependencies: feature.dependencies.join("\n"),
    max_learnings: feature.max_learnings === null ? "" : String(feature.max_learnings),
  };
}

type Draft = ReturnType<typeof draftOf>;

/** Only the changed fields: one that an agent changed meanwhile is not overwritten. */
function patchOf(draft: Draft, stored: Draft): FeaturePatch {
  const patch: FeaturePatch = {};
  for (const key of ["display_name", "acronym", "description", "architecture", "boundaries"] as const) {
    if (draft[key] !== stored[key]) patch[key] = draft[key];
  }
  for (const key of ["context_files", "knowledge_paths", "dependencies"] as const) {
    if (draft[key] !== stored[key]) patch[key] = lines(draft[key]);
  }
  if (draft.max_learnings !== stored.max_learnings) patch.max_learnings = Number(draft.max_learnings);
  return patch;
}

const AREAS = [
  ["description", "What it is for", "Agents read this first."],
  ["architecture", "How it is built", undefined],
  ["boundaries", "What does and does not belong to it", undefined],
] as const;
const LISTS = [
  ["context_files", "Files to read first", "One path per line, relative to the project."],
  ["knowledge_paths", "Written knowledge", "Files and folders, one per line."],
  ["dependencies", "Builds on", "Names of features, one per line."],
] as const;

/** The feature's description for agents; every field except the name can be edited. */
export function ContextTab({ feature }: { feature: Feature }) {
  const { draft, dirty, change, setDraft, settle } = useDraftOf(draftOf(feature));
  const cap = draft.max_learnings === "" ? undefined : numberFault("max_learnings", draft.max_learnings);
  const noName = draft.display_name.trim() === "" ? "a name is needed" : undefined;
  const isBad = cap !== undefined || noName !== undefined;
  const leave = useUnsaved(dirty);
  const save = useCommand(
    async (sent: Draft) => {
      const saved = await commands.updateFeature(feature.name, patchOf(sent, draftOf(feature)));
      settle(sent, draftOf(saved));
    },
    { errors: "inline", onDone: () => tellDone("Saved") },
  );
  const away = useCommand((state: "active" | "archived") => commands.updateFeature(feature.name, { state }), {
    onDone: ({ state }) => {
      const back = () => commands.updateFeature(feature.name, { state: state === "archived" ? "active" : "archived" });
      tellDone(state === "archived" ? "Archived" : "Active again", back);
    },
  });
  return (
    <form
      className="flex max-w-3xl flex-col gap-4 px-6 py-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (dirty && !isBad) save.mutate(draft);
      }}
    >
      <div className="grid grid-cols-[1fr_7rem_9rem] gap-3 max-[480px]:grid-cols-1">
        <TextField
          label="Name"
          error={noName}
          value={draft.display_name}
          onChange={(display_name) => change({ display_name })}
        />
        <TextField
          label="Acronym"
          maxLength={ACRONYM_CHARS}
          value={draft.acronym}
          onChange={(acronym) => change({ acronym })}
        />
        <NumberField
          label="Cap on learnings"
          error={cap}
          placeholder="project's"
          value={draft.max_learnings}
          onChange={(max_learnings) => change({ max_learnings })}
        />
      </div>
      {AREAS.map(([key, label, hint]) => (
        <AreaField
          key={key}
          label={label}
          hint={hint}
          value={draft[key]}
          onChange={(value) => change({ [key]: value })}
        />
      ))}
      <div className="grid grid-cols-3 gap-3 max-[700px]:grid-cols-1">
        {LISTS.map(([key, label, hint]) => (
          <AreaField
            mono
            key={key}
            label={label}
            hint={hint}
            value={draft[key]}
            onChange={(value) => change({ [key]: value })}
          />
        ))}
      </div>
      <LeaveUnsaved leave={leave} what="These changes" />
      {save.fault && <ErrorNote fault={save.fault} />}
      <div className="flex flex-wrap items-center gap-2 pb-4">
        <Button
          type="submit"
          look="primary"
          disabled={!dirty || save.isPending}
          lacks={isBad ? "A field can't be saved like this" : undefined}
        >
          Save
        </Button>
        <Button
          disabled={!dirty || save.isPending}
          onClick={() => {
            setDraft(draftOf(feature));
            save.reset();
          }}
        >
          Discard
        </Button>
        {!dirty && <p className="text-xs text-faint">Nothing is changed</p>}
        {feature.state !== "decomposed" && (
          <Button
            look="ghost"
            className="ml-auto"
            onClick={() => away.mutate(feature.state === "archived" ? "active" : "archived")}
          >
            {feature.state === "archived" ? "Bring back" : "Archive this feature"}
          </Button>
        )}
      </div>
    </form>
  );
}
