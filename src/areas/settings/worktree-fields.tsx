import type { MergeStrategy, ReviewPolicy, WorktreeSettings } from "@/ipc";
import { Field, Input, Textarea } from "@/ui/field";
import { Section } from "@/ui/page";
import { Select } from "@/ui/select";

/** The settings of worktrees with lists and numbers as they are typed. */
export type WorktreeDraft = Omit<WorktreeSettings, "bring_along" | "keep_days" | "keep_gb"> & {
  bring_along: string;
  keep_days: string;
  keep_gb: string;
};

export function worktreeDraft(settings: WorktreeSettings): WorktreeDraft {
  return {
    ...settings,
    bring_along: (settings.bring_along ?? []).join("\n"),
    keep_days: String(settings.keep_days ?? 0),
    keep_gb: String(settings.keep_gb ?? 0),
  };
}

export function worktreeSettings(draft: WorktreeDraft): WorktreeSettings {
  const bring_along = draft.bring_along.split("\n").map((line) => line.trim());
  return {
    ...draft,
    bring_along: bring_along.filter((line) => line !== ""),
    keep_days: Number(draft.keep_days),
    keep_gb: Number(draft.keep_gb),
  };
}

/** Whether a number of theirs is none. */
export function badWorktreeNumber({ keep_days, keep_gb }: WorktreeDraft): boolean {
  return [keep_days, keep_gb].some((typed) => !/^\d+$/.test(typed.trim()));
}

/** Where work on several tasks at once is done, and how it is merged. */
export function WorktreeFields({
  draft,
  onChange,
}: {
  draft: WorktreeDraft;
  onChange: (change: Partial<WorktreeDraft>) => void;
}) {
  const text = (key: "folder" | "branch" | "base" | "setup", label: string, hint: string, placeholder?: string) => (
    <Field label={label} hint={hint}>
      {(field) => (
        <Input
          {...field}
          className="font-mono text-xs"
          placeholder={placeholder}
          value={draft[key] ?? ""}
          onChange={(event) => onChange({ [key]: event.target.value })}
        />
      )}
    </Field>
  );
  const number = (key: "keep_days" | "keep_gb", label: string, hint: string) => (
    <Field label={label} hint={hint} error={/^\d+$/.test(draft[key].trim()) ? undefined : "a whole number is needed"}>
      {(field) => (
        <Input
          {...field}
          className="num"
          inputMode="numeric"
          value={draft[key]}
          onChange={(event) => onChange({ [key]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <Section title="Worktrees" note="where several workers work, and how that is merged">
      <div className="grid grid-cols-2 gap-3">
        <Field label="Who accepts what is done">
          {({ id }) => (
            <Select
              id={id}
              value={draft.review ?? "person"}
              onChange={(review) => onChange({ review: review as ReviewPolicy })}
              options={[
                { value: "person", label: "A person, on the review page" },
                { value: "auto", label: "Ralph, when the check passes on the result" },
              ]}
            />
          )}
        </Field>
        <Field label="How it is merged">
          {({ id }) => (
            <Select
              id={id}
              value={draft.merge ?? "merge"}
              onChange={(merge) => onChange({ merge: merge as MergeStrategy })}
              options={[
                { value: "merge", label: "A merge commit" },
                { value: "squash", label: "One commit" },
                { value: "rebase", label: "Commits on top of the base" },
              ]}
            />
          )}
        </Field>
        {text("base", "Base branch", "Where work begins and goes to.", "the one that is checked out")}
        {text("branch", "Names of branches", "{task} and {slug} are filled in.", "ralph/{task}-{slug}")}
        {text("setup", "Set-up command", "Prepares each new worktree.", "npm ci")}
        {text("folder", "Folder", "Absolute; empty: with Ralph's own data.", "Ralph's own")}
        <Field
          label="Ignored files to bring along"
          hint="One a line, such as .env: nothing else that git ignores is copied."
        >
          {(field) => (
            <Textarea
              {...field}
              className="font-mono text-xs"
              value={draft.bring_along}
              onChange={(event) => onChange({ bring_along: event.target.value })}
            />
          )}
        </Field>
        <div className="grid grid-cols-2 content-start gap-3">
          {number("keep_days", "Days to keep", "Then one may go, when nothing is lost.")}
          {number("keep_gb", "Gigabytes in all", "0: no limit.")}
        </div>
      </div>
    </Section>
  );
}
