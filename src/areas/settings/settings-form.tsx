import { commands, type Settings } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { useDraftOf } from "@/lib/draft";
import { count } from "@/lib/format";
import { Button } from "@/ui/button";
import { FormBar } from "@/ui/form-bar";
import { ErrorNote } from "@/ui/state";
import { LeaveUnsaved, useUnsaved } from "@/ui/unsaved";
import { KnowledgeFields } from "./knowledge-fields";
import { learningFaults } from "./learning-draft";
import { LearningFields } from "./learning-fields";
import { AgentFields, CheckFields, LimitFields, ModelFields } from "./run-fields";
import { SearchFields } from "./search-fields";
import { type SettingsDraft, settingsDraft, settingsFaults, settingsOf } from "./settings-draft";
import { worktreeFaults } from "./worktree-draft";
import { WorktreeFields } from "./worktree-fields";

export function SettingsForm({ stored }: { stored: Settings }) {
  const { draft, dirty, change, setDraft, settle } = useDraftOf(settingsDraft(stored));
  const fault = faultIn(draft);
  const leave = useUnsaved(dirty);
  const save = useCommand(
    async (sent: SettingsDraft) => {
      const saved = await commands.updateSettings(stored, settingsOf(sent, settingsDraft(stored)));
      settle(sent, settingsDraft(saved));
    },
    { errors: "inline", onDone: () => tellDone("Settings saved") },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (dirty && !fault) save.mutate(draft);
      }}
    >
      <AgentFields draft={draft} onChange={change} />
      <ModelFields draft={draft} onChange={change} />
      <CheckFields draft={draft} onChange={change} />
      <LimitFields draft={draft} onChange={change} />
      <KnowledgeFields draft={draft} onChange={change} />
      <LearningFields
        draft={draft.automatic_learning}
        onChange={(part) => change({ automatic_learning: { ...draft.automatic_learning, ...part } })}
      />
      <WorktreeFields
        draft={draft.worktrees}
        onChange={(part) => change({ worktrees: { ...draft.worktrees, ...part } })}
      />
      <SearchFields draft={draft} stored={stored} onChange={change} />
      <LeaveUnsaved leave={leave} what="These settings" />
      <FormBar className="z-10 flex flex-wrap items-center gap-2 bg-bg py-3">
        {save.fault && (
          <div className="w-full">
            <ErrorNote fault={save.fault} />
          </div>
        )}
        <Button type="submit" look="primary" disabled={!dirty || fault !== undefined || save.isPending}>
          Save
        </Button>
        <Button
          disabled={!dirty || save.isPending}
          onClick={() => {
            setDraft(settingsDraft(stored));
            save.reset();
          }}
        >
          Discard
        </Button>
        {fault && (
          <p role="status" className="text-xs text-bad">
            {fault}
          </p>
        )}
        {!dirty && <p className="text-xs text-faint">Nothing is changed</p>}
      </FormBar>
    </form>
  );
}

/** Why the draft can't be saved, in one sentence; each field says more. */
function faultIn(draft: SettingsDraft): string | undefined {
  const bad = Object.keys(settingsFaults(draft)).length;
  if (bad > 0) return `${count(bad, "field")} can't be saved like this`;
  if (Object.keys(worktreeFaults(draft.worktrees)).length > 0)
    return "A number of the worktrees can't be saved like this";
  if (Object.keys(learningFaults(draft.automatic_learning)).length > 0)
    return "A field of automatic learning can't be saved like this";
  return undefined;
}
