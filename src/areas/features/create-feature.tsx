import { useNavigate } from "@tanstack/react-router";
import { ACRONYM_CHARS, commands, type FeatureRow } from "@/ipc";
import { useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { shortNameOf } from "@/lib/names";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { AreaField, ChoiceField, TextField } from "@/ui/field";
import { ErrorNote } from "@/ui/state";

const EMPTY = { display_name: "", name: "", acronym: "", description: "", parent: "" };

export function CreateFeature({ onClose, parents }: { onClose: () => void; parents: FeatureRow[] }) {
  const navigate = useNavigate();
  const [draft, change, clear] = useDraft("feature", EMPTY);
  const { name, lacks } = shortNameOf(draft);
  const create = useCommand(
    () =>
      commands.createFeature({
        name,
        display_name: draft.display_name.trim(),
        acronym: draft.acronym.trim() || null,
        description: draft.description.trim(),
        parent: draft.parent || null,
      }),
    {
      errors: "inline",
      onDone: (feature) => {
        clear();
        void navigate({ to: "/features/$name", params: { name: feature.name } });
      },
    },
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title="New feature"
      writing={create.isPending}
      description="A scope of work and what is learned about it."
      onSubmit={() => lacks === undefined && create.mutate(undefined)}
      footer={<DialogEnd send="Create feature" onCancel={onClose} lacks={lacks} />}
    >
      <div className="flex flex-col gap-3 pb-1">
        <TextField
          label="Name"
          autoFocus
          value={draft.display_name}
          onChange={(display_name) => change({ display_name })}
          placeholder="Payments"
        />
        <div className="grid grid-cols-[1fr_7rem] gap-3">
          <TextField
            mono
            label="Short name"
            hint="Names its journal file; it never changes."
            value={draft.name}
            onChange={(name) => change({ name })}
            placeholder={name || "payments"}
          />
          <TextField
            label="Acronym"
            maxLength={ACRONYM_CHARS}
            value={draft.acronym}
            onChange={(acronym) => change({ acronym: acronym.toUpperCase() })}
          />
        </div>
        <AreaField
          label="What it is for (optional)"
          value={draft.description}
          onChange={(description) => change({ description })}
        />
        {parents.length > 0 && (
          <ChoiceField
            label="Split from (optional)"
            value={draft.parent}
            onChange={(parent) => change({ parent })}
            options={[
              { value: "", label: "None" },
              ...parents.map(({ feature }) => ({ value: feature.name, label: feature.display_name })),
            ]}
          />
        )}
        {create.fault && <ErrorNote fault={create.fault} />}
      </div>
    </Dialog>
  );
}
