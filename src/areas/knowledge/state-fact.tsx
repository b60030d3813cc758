import { useQuery } from "@tanstack/react-query";
import { commands, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { count } from "@/lib/format";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { Field, Input, Textarea } from "@/ui/field";
import { Select } from "@/ui/select";
import { ErrorNote } from "@/ui/state";

const EMPTY_FACT = { subject: "", value: "", feature: "", file: "", line: "" };

/** A form for a new fact. */
export function StateFact({ onClose }: { onClose: () => void }) {
  const { data: features = [] } = useQuery(queries.features());
  const [draft, change, clear] = useDraft("fact", EMPTY_FACT);
  const save = useCommand(
    () =>
      commands.stateFact({
        feature: draft.feature || null,
        kind: null,
        subject: draft.subject,
        value: draft.value,
        confidence: null,
        file: draft.file.trim() || null,
        line: draft.line.trim() === "" ? null : Number(draft.line),
      }),
    {
      errors: "inline",
      onDone: ({ verdict, replaced }) => {
        const took = replaced.length > 0 ? `, instead of ${count(replaced.length, "other")}` : "";
        tellDone(verdict === "added" ? `Stated${took}` : "Already known");
        clear();
        onClose();
      },
    },
  );
  const cancel = () => {
    clear();
    onClose();
  };
  const line = draft.line.trim();
  const noLine = /^\d*$/.test(line) ? undefined : "a number";
  const lacks =
    draft.subject.trim() === ""
      ? "A subject is missing"
      : draft.value.trim() === ""
        ? "What holds is missing"
        : noLine && "The line is no number";
  return (
    <Dialog
      open
      onClose={onClose}
      title="State a fact"
      writing={save.isPending}
      description="It replaces what was stated about the same subject."
      onSubmit={() => lacks === undefined && save.mutate(undefined)}
      footer={<DialogEnd send="State" onCancel={cancel} lacks={lacks} />}
    >
      <div className="flex flex-col gap-3">
        <Field label="Subject" hint="What it is about, such as “test command”.">
          {(field) => <Input {...field} value={draft.subject} onChange={(e) => change({ subject: e.target.value })} />}
        </Field>
        <Field label="What holds">
          {(field) => <Textarea {...field} value={draft.value} onChange={(e) => change({ value: e.target.value })} />}
        </Field>
        <Select
          className="max-w-64"
          label="Holds for"
          value={draft.feature}
          onChange={(feature) => change({ feature })}
          options={[
            { value: "", label: "The project" },
            ...features.map(({ feature }) => ({ value: feature.name, label: feature.display_name })),
          ]}
        />
        <div className="flex gap-3">
          <Field
            className="flex-1"
            label="File that says so"
            hint="In the project; the fact is withdrawn when the file or the line is gone."
          >
            {(field) => <Input {...field} value={draft.file} onChange={(e) => change({ file: e.target.value })} />}
          </Field>
          <Field className="w-20" label="Line" error={noLine}>
            {(field) => (
              <Input
                {...field}
                inputMode="numeric"
                value={draft.line}
                onChange={(e) => change({ line: e.target.value })}
              />
            )}
          </Field>
        </div>
        {save.fault && <ErrorNote fault={save.fault} />}
      </div>
    </Dialog>
  );
}
