import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { commands, type FeatureRow, queries } from "@/ipc";
import { nameOf } from "@/lib/names";
import { Field, Input } from "@/ui/field";
import { Select } from "@/ui/select";

/** Name of the first feature if its title has no letter that a name can have. */
const FIRST = "first";

/** The features that take tasks: the active ones, and one that a task is in already, so that it stays named. */
const takingTasks = (features: FeatureRow[], own?: string) =>
  features.filter(({ feature: { name, state } }) => state === "active" || name === own);

/**
 * The feature of new tasks: what is chosen, what the form was opened for, or the only one; where none takes tasks, one of the name `scope`
 * that is made with them.
 */
export function useFeatureChoice(asked: string | undefined, typed: string, typedScope: string | null) {
  const { data: features } = useQuery(queries.features());
  const { data: project } = useQuery(queries.project());
  const taking = takingTasks(features ?? []).map(({ feature: { name } }) => name);
  const first = features !== undefined && taking.length === 0;
  const only = taking.length === 1 ? taking[0] : undefined;
  // A feature that has been archived since it was chosen takes no tasks, nor does an archived one from whose list of tasks the person came.
  // The feature that the dialog was opened for takes precedence over an earlier draft's, but not over what is chosen now.
  const [isChosen, setChosen] = useState(false);
  const wished = isChosen ? [typed, asked] : [asked, typed];
  const feature = [...wished, only].find((name) => name && taking.includes(name)) ?? "";
  const scope = typedScope ?? project?.name ?? "";
  return {
    feature,
    scope: first ? scope : undefined,
    /** Why tasks can't be made yet. */
    lacks: first
      ? scope.trim() === ""
        ? "Name the feature"
        : undefined
      : feature === ""
        ? "Choose a feature"
        : undefined,
    chosen: () => setChosen(true),
    /** Name of the feature, which is created if there is none. */
    made: async () =>
      first
        ? (
            await commands.createFeature({
              // Letters of other alphabets give no name.
              name: nameOf(scope) || FIRST,
              display_name: scope.trim(),
              acronym: null,
              description: "",
              parent: null,
            })
          ).name
        : feature,
  };
}

/** Chooses a feature that takes tasks, or names the one that is made with them. */
export function FeatureField({
  feature,
  scope,
  moves = false,
  onFeature,
  onScope,
}: {
  feature: string;
  /** Name of the feature that is created with the task if none takes any. */
  scope?: string;
  /** The task has a feature already. */
  moves?: boolean;
  onFeature: (feature: string) => void;
  onScope: (scope: string) => void;
}) {
  const { data: features = [] } = useQuery(queries.features());
  if (scope !== undefined) {
    return (
      <Field label="Feature" hint="Made with the task: a scope of work, and what is learned about it.">
        {(field) => <Input {...field} value={scope} onChange={(event) => onScope(event.target.value)} />}
      </Field>
    );
  }
  return (
    <Field label="Feature" hint={moves ? "Its learnings move with it." : undefined}>
      {({ id }) => (
        <Select
          id={id}
          value={feature}
          placeholder="Choose"
          onChange={onFeature}
          options={takingTasks(features, feature).map(({ feature: { name, display_name } }) => ({
            value: name,
            label: display_name,
          }))}
        />
      )}
    </Field>
  );
}
