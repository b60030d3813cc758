import type { AgentKind, DependencyStart, MergeStrategy, ResolvePolicy, ReviewPolicy, WorktreeSettings } from "@/ipc";
import { numberFault } from "@/lib/setting-ranges";
import { AGENTS } from "@/lib/words";
import { Field, Input, Textarea } from "@/ui/field";
import { Section } from "@/ui/page";
import { Select } from "@/ui/select";

/** The settings of worktrees, with lists and numbers as typed. */
type Numbers = "keep_days" | "keep_gb" | "reviewer_send_backs";
export type WorktreeDraft = Omit<WorktreeSettings, "bring_along" | Numbers> & { bring_along: string } & Record<
    Numbers,
    string
  >;

export function worktreeDraft(settings: WorktreeSettings): WorktreeDraft {
  return {
    ...settings,
    bring_along: (settings.bring_along ?? []).join("\n"),
    keep_days: String(settings.keep_days ?? 0),
    keep_gb: String(settings.keep_gb ?? 0),
    reviewer_send_backs: String(settings.reviewer_send_backs ?? 1),
  };
}

/** What the draft stands for; what is not shown stays as it is stored, whatever was typed before. */
export function worktreeSettings(draft: WorktreeDraft, stored: WorktreeDraft): WorktreeSettings {
  const bring_along = draft.bring_along.split("\n").map((line) => line.trim());
  return {
    ...draft,
    bring_along: bring_along.filter((line) => line !== ""),
    keep_days: Number(draft.keep_days),
    keep_gb: Number(draft.keep_gb),
    reviewer_send_backs: Number((draft.reviewer ? draft : stored).reviewer_send_backs),
  };
}

/** Their names among the ranges of settings. */
const RANGE: Record<Numbers, string> = {
  keep_days: "worktree_days",
  keep_gb: "worktree_gb",
  reviewer_send_backs: "reviewer_send_backs",
};
const faultOf = (draft: WorktreeDraft, key: Numbers) => numberFault(RANGE[key], draft[key]);

/** Whether a number of theirs that is shown can't be saved. */
export function badWorktreeNumber(draft: WorktreeDraft): boolean {
  const shown = (Object.keys(RANGE) as Numbers[]).filter((key) => key !== "reviewer_send_backs" || draft.reviewer);
  return shown.some((key) => faultOf(draft, key) !== undefined);
}

/** Where several tasks are worked on at once, and how their work is merged. */
export function WorktreeFields({
  draft,
  onChange,
}: {
  draft: WorktreeDraft;
  onChange: (change: Partial<WorktreeDraft>) => void;
}) {
  const text = (
    key: "folder" | "branch" | "base" | "setup" | "reviewer_model",
    label: string,
    hint: string,
    placeholder?: string,
  ) => (
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
  const number = (key: Numbers, label: string, hint: string) => (
    <Field label={label} hint={hint} error={faultOf(draft, key)}>
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
        <Field label="When dependent tasks may begin">
          {({ id }) => (
            <Select
              id={id}
              value={draft.dependencies ?? "merged"}
              onChange={(dependencies) => onChange({ dependencies: dependencies as DependencyStart })}
              options={[
                { value: "merged", label: "Once their dependency is merged" },
                { value: "stacked", label: "At once, on its branch" },
              ]}
            />
          )}
        </Field>
        <Field label="Who settles a conflict">
          {({ id }) => (
            <Select
              id={id}
              value={draft.resolve ?? "ask"}
              onChange={(resolve) => onChange({ resolve: resolve as ResolvePolicy })}
              options={[
                { value: "ask", label: "A person, or an agent they send" },
                { value: "agent", label: "An agent, sent by the merge" },
              ]}
            />
          )}
        </Field>
        <Field label="Who looks before a person does">
          {({ id }) => (
            <Select
              id={id}
              value={draft.reviewer ?? ""}
              onChange={(reviewer) => onChange({ reviewer: reviewer === "" ? null : (reviewer as AgentKind) })}
              options={[{ value: "", label: "Nobody" }, ...AGENTS]}
            />
          )}
        </Field>
        {draft.reviewer && text("reviewer_model", "Its model", "As the agent knows it.", "the strongest")}
        {draft.reviewer &&
          number("reviewer_send_backs", "Times it may send work back", "0: it only says what it found.")}
        {text("base", "Base branch", "Where work starts, and what it is merged into.", "the one checked out")}
        {text("branch", "Branch names", "{task} and {slug} are filled in.", "ralph/{task}-{slug}")}
        {text("setup", "Set-up command", "Prepares each new worktree.", "npm ci")}
        {text("folder", "Folder", "Absolute; empty: with Ralph's own data.", "Ralph's own")}
        <Field
          label="Ignored files to bring along"
          hint="One per line, such as .env; nothing else that git ignores is copied."
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
          {number("keep_days", "Days to keep", "After that, one may go if nothing is lost.")}
          {number("keep_gb", "Gigabytes in all", "0: no limit.")}
        </div>
      </div>
    </Section>
  );
}
