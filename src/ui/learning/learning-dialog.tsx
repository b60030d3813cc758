import type { ReactNode } from "react";
import { type CommandFault, LEARNING_TEXT_CHARS } from "@/ipc";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { Field, Input, Textarea } from "@/ui/field";
import { Select } from "@/ui/select";
import { ErrorNote } from "@/ui/state";

export type LearningDraft = { text: string; reason: string; category: string; tags: string };
export const EMPTY_LEARNING: LearningDraft = { text: "", reason: "", category: "", tags: "" };

const CATEGORIES = ["pitfall", "success_pattern", "convention", "code_structure", "tool_usage", "testing_strategy"];

/** Adds or edits a learning. An edit creates a new record that supersedes the old one and keeps its category and tags. */
export function LearningDialog({
  mode,
  draft,
  onChange,
  onClose,
  onSave,
  saving,
  fault,
  children,
}: {
  mode: "add" | "edit";
  draft: LearningDraft;
  onChange: (change: Partial<LearningDraft>) => void;
  onClose: () => void;
  onSave: () => void;
  saving: boolean;
  fault: CommandFault | null;
  children?: ReactNode;
}) {
  const left = LEARNING_TEXT_CHARS - [...draft.text].length;
  const lacks = draft.text.trim() === "" ? "A lesson is missing" : left < 0 ? "It is too long" : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      writing={saving}
      title={mode === "add" ? "Add a learning" : "Edit the learning"}
      description={
        mode === "add"
          ? "One lesson in one to three sentences. What a person writes is never pruned."
          : "Your version takes the place of the old one, which stays in the history."
      }
      onSubmit={() => lacks === undefined && onSave()}
      footer={<DialogEnd send={mode === "add" ? "Add learning" : "Save"} onCancel={onClose} lacks={lacks} />}
    >
      <div className="flex flex-col gap-3 pb-1">
        {children}
        <Field
          label="Lesson"
          hint={`${left} characters left`}
          error={left < 0 ? `${-left} characters too long` : undefined}
        >
          {(field) => (
            <Textarea
              {...field}
              autoFocus
              rows={4}
              value={draft.text}
              onChange={(event) => onChange({ text: event.target.value })}
            />
          )}
        </Field>
        <Field label="Why it holds (optional)">
          {(field) => (
            <Input {...field} value={draft.reason} onChange={(event) => onChange({ reason: event.target.value })} />
          )}
        </Field>
        {mode === "add" && (
          <div className="grid grid-cols-2 gap-3">
            <Field label="Kind">
              {({ id }) => (
                <Select
                  id={id}
                  className="w-full"
                  value={draft.category}
                  onChange={(category) => onChange({ category })}
                  options={[
                    { value: "", label: "Let Ralph choose" },
                    ...CATEGORIES.map((value) => ({ value, label: value.replaceAll("_", " ") })),
                  ]}
                />
              )}
            </Field>
            <Field label="Tags, separated by commas">
              {(field) => (
                <Input {...field} value={draft.tags} onChange={(event) => onChange({ tags: event.target.value })} />
              )}
            </Field>
          </div>
        )}
        {fault && <ErrorNote fault={fault} />}
      </div>
    </Dialog>
  );
}
