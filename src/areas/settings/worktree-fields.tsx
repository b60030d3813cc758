import type { AgentKind } from "@/ipc";
import { AGENTS } from "@/lib/words";
import { AreaField, ChoiceField, NumberField, TextField } from "@/ui/field";
import { Section } from "@/ui/page";
import { type WorktreeDraft, worktreeFaults } from "./worktree-draft";

type Props = { draft: WorktreeDraft; onChange: (change: Partial<WorktreeDraft>) => void };

/** Where several tasks are worked on at once, and how their work is merged. */
export function WorktreeFields({ draft, onChange }: Props) {
  const faults = worktreeFaults(draft);
  return (
    <Section title="Worktrees" note="where several workers work, and how that is merged">
      <div className="grid grid-cols-2 gap-3">
        <MergeFields draft={draft} onChange={onChange} />
        <ReviewerFields draft={draft} onChange={onChange} />
        <TextField
          mono
          label="Base branch"
          hint="Where work starts, and what it is merged into."
          placeholder="the one checked out"
          value={draft.base ?? ""}
          onChange={(base) => onChange({ base })}
        />
        <TextField
          mono
          label="Branch names"
          hint="{task} and {slug} are filled in."
          placeholder="ralph/{task}-{slug}"
          value={draft.branch ?? ""}
          onChange={(branch) => onChange({ branch })}
        />
        <TextField
          mono
          label="Set-up command"
          hint="Prepares each new worktree, such as git submodule update --init, without which submodules are empty."
          placeholder="npm ci"
          value={draft.setup ?? ""}
          onChange={(setup) => onChange({ setup })}
        />
        <TextField
          mono
          label="Folder"
          hint="Absolute; empty: with Ralph's own data."
          placeholder="Ralph's own"
          value={draft.folder ?? ""}
          onChange={(folder) => onChange({ folder })}
        />
        <AreaField
          mono
          label="Ignored files to bring along"
          hint="One per line, such as .env; nothing else that git ignores is copied."
          value={draft.bring_along}
          onChange={(bring_along) => onChange({ bring_along })}
        />
        <div className="grid grid-cols-2 content-start gap-3">
          <NumberField
            label="Days to keep"
            hint="After that, one may go if nothing is lost."
            error={faults.keep_days}
            value={draft.keep_days}
            onChange={(keep_days) => onChange({ keep_days })}
          />
          <NumberField
            label="Gigabytes in all"
            hint="0: no limit."
            error={faults.keep_gb}
            value={draft.keep_gb}
            onChange={(keep_gb) => onChange({ keep_gb })}
          />
        </div>
      </div>
    </Section>
  );
}

function MergeFields({ draft, onChange }: Props) {
  return (
    <>
      <ChoiceField
        label="Who accepts what is done"
        value={draft.review ?? "person"}
        onChange={(review) => onChange({ review })}
        options={[
          { value: "person", label: "A person, on the review page" },
          { value: "auto", label: "Ralph, when the check passes on the result" },
        ]}
      />
      <ChoiceField
        label="How it is merged"
        value={draft.merge ?? "merge"}
        onChange={(merge) => onChange({ merge })}
        options={[
          { value: "merge", label: "A merge commit" },
          { value: "squash", label: "One commit" },
          { value: "rebase", label: "Commits on top of the base" },
        ]}
      />
      <ChoiceField
        label="When dependent tasks may begin"
        value={draft.dependencies ?? "merged"}
        onChange={(dependencies) => onChange({ dependencies })}
        options={[
          { value: "merged", label: "Once their dependency is merged" },
          { value: "stacked", label: "At once, on its branch" },
        ]}
      />
      <ChoiceField
        label="Who settles a conflict"
        value={draft.resolve ?? "ask"}
        onChange={(resolve) => onChange({ resolve })}
        options={[
          { value: "ask", label: "A person, or an agent they send" },
          { value: "agent", label: "An agent, sent by the merge" },
        ]}
      />
    </>
  );
}

function ReviewerFields({ draft, onChange }: Props) {
  return (
    <>
      <ChoiceField<AgentKind | "">
        label="Who looks before a person does"
        value={draft.reviewer ?? ""}
        onChange={(reviewer) => onChange({ reviewer: reviewer || null })}
        options={[{ value: "", label: "Nobody" }, ...AGENTS]}
      />
      {draft.reviewer && (
        <>
          <TextField
            mono
            label="Its model"
            hint="As the agent knows it."
            placeholder="the strongest"
            value={draft.reviewer_model ?? ""}
            onChange={(reviewer_model) => onChange({ reviewer_model })}
          />
          <NumberField
            label="Times it may send work back"
            hint="0: it only says what it found."
            error={worktreeFaults(draft).reviewer_send_backs}
            value={draft.reviewer_send_backs}
            onChange={(reviewer_send_backs) => onChange({ reviewer_send_backs })}
          />
        </>
      )}
    </>
  );
}
