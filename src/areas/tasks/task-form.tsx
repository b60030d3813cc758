import { useQuery } from "@tanstack/react-query";
import { type Priority, queries, type Task } from "@/ipc";
import { PRIORITIES, priorityWord } from "@/lib/words";
import { Field, Input, Textarea } from "@/ui/field";
import { Select } from "@/ui/select";
import { DependencyPicker } from "./dependency-picker";
import { FeatureField } from "./feature-choice";

export type TaskDraft = {
  title: string;
  feature: string;
  description: string;
  criteria: string;
  priority: Priority;
  tags: string;
  depends_on: number[];
  discipline: string;
  draft: boolean;
  /** Name of the feature that the first task creates; `null` while the suggestion is unchanged. */
  scope: string | null;
};

export const EMPTY_TASK: TaskDraft = {
  title: "",
  feature: "",
  description: "",
  criteria: "",
  priority: "medium",
  tags: "",
  depends_on: [],
  discipline: "",
  draft: false,
  scope: null,
};

/** A stored task as a draft of the form. */
export function draftOf(task: Task): TaskDraft {
  return {
    title: task.title,
    feature: task.feature,
    description: task.description,
    criteria: task.acceptance_criteria.join("\n"),
    priority: task.priority,
    tags: task.tags.join(", "),
    depends_on: task.depends_on,
    discipline: task.discipline ?? "",
    draft: task.status === "draft",
    scope: null,
  };
}

/** The fields of a task, for creating and for editing one. */
export function TaskFields({
  draft,
  onChange,
  self,
  scope,
}: {
  draft: TaskDraft;
  onChange: (change: Partial<TaskDraft>) => void;
  self?: number;
  /** Name of the feature that is created with the task if none takes any. */
  scope?: string;
}) {
  const { data: disciplines = [] } = useQuery(queries.disciplines());
  return (
    <div className="flex flex-col gap-3 pb-1">
      <Field label="Title">
        {(field) => (
          <Input
            {...field}
            autoFocus
            value={draft.title}
            onChange={(event) => onChange({ title: event.target.value })}
          />
        )}
      </Field>
      <div className="grid grid-cols-3 gap-3">
        <FeatureField
          feature={draft.feature}
          scope={scope}
          moves={self !== undefined}
          onFeature={(feature) => onChange({ feature })}
          onScope={(scope) => onChange({ scope })}
        />
        <Field label="Priority">
          {({ id }) => (
            <Select
              id={id}
              value={draft.priority}
              onChange={(priority) => onChange({ priority: priority as Priority })}
              options={PRIORITIES.map((value) => ({ value, label: priorityWord[value] }))}
            />
          )}
        </Field>
        <Field label="Discipline">
          {({ id }) => (
            <Select
              id={id}
              value={draft.discipline}
              onChange={(discipline) => onChange({ discipline })}
              options={[
                { value: "", label: "None" },
                ...disciplines.map(({ name, display_name }) => ({ value: name, label: display_name })),
              ]}
            />
          )}
        </Field>
      </div>
      <Field label="What to do">
        {(field) => (
          <Textarea
            {...field}
            rows={5}
            value={draft.description}
            onChange={(event) => onChange({ description: event.target.value })}
          />
        )}
      </Field>
      <Field label="When it is done" hint="One criterion per line; the agent is told all of them.">
        {(field) => (
          <Textarea
            {...field}
            value={draft.criteria}
            onChange={(event) => onChange({ criteria: event.target.value })}
          />
        )}
      </Field>
      <DependencyPicker self={self} value={draft.depends_on} onChange={(depends_on) => onChange({ depends_on })} />
      <Field label="Tags, separated by commas">
        {(field) => (
          <Input {...field} value={draft.tags} onChange={(event) => onChange({ tags: event.target.value })} />
        )}
      </Field>
    </div>
  );
}
