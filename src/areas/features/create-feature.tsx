import { useNavigate } from "@tanstack/react-router";
import { ACRONYM_CHARS, commands, type FeatureRow } from "@/ipc";
import { useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { nameOf } from "@/lib/names";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field, Input, Textarea } from "@/ui/field";
import { Select } from "@/ui/select";
import { ErrorNote } from "@/ui/state";

const EMPTY = { display_name: "", name: "", acronym: "", description: "", parent: "" };

export function CreateFeature({
  open,
  onClose,
  parents,
}: {
  open: boolean;
  onClose: () => void;
  parents: FeatureRow[];
}) {
  const navigate = useNavigate();
  const [draft, change, clear] = useDraft("feature", EMPTY);
  const name = draft.name.trim() || nameOf(draft.display_name);
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
      open={open}
      onClose={onClose}
      title="New feature"
      description="A scope of work and what is learned about it."
      onSubmit={() => name !== "" && create.mutate(undefined)}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={create.isPending || name === ""}>
            Create feature
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 pb-1">
        <Field label="Name">
          {(field) => (
            <Input
              {...field}
              autoFocus
              value={draft.display_name}
              onChange={(event) => change({ display_name: event.target.value })}
              placeholder="Payments"
            />
          )}
        </Field>
        <div className="grid grid-cols-[1fr_7rem] gap-3">
          <Field label="Short name" hint="Names its journal file; it never changes.">
            {(field) => (
              <Input
                {...field}
                className="font-mono"
                value={draft.name}
                onChange={(event) => change({ name: event.target.value })}
                placeholder={name || "payments"}
              />
            )}
          </Field>
          <Field label="Acronym">
            {(field) => (
              <Input
                {...field}
                maxLength={ACRONYM_CHARS}
                value={draft.acronym}
                onChange={(event) => change({ acronym: event.target.value.toUpperCase() })}
              />
            )}
          </Field>
        </div>
        <Field label="What it is for (optional)">
          {(field) => (
            <Textarea
              {...field}
              value={draft.description}
              onChange={(event) => change({ description: event.target.value })}
            />
          )}
        </Field>
        {parents.length > 0 && (
          <Field label="Split from (optional)">
            {({ id }) => (
              <Select
                id={id}
                value={draft.parent}
                onChange={(parent) => change({ parent })}
                options={[
                  { value: "", label: "None" },
                  ...parents.map(({ feature }) => ({ value: feature.name, label: feature.display_name })),
                ]}
              />
            )}
          </Field>
        )}
        {create.fault && <ErrorNote fault={create.fault} />}
      </div>
    </Dialog>
  );
}
