import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { commands, type ListedTasks, type Priority, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { count } from "@/lib/format";
import { PRIORITIES, priorityWord } from "@/lib/words";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { ChoiceField, Field, Textarea } from "@/ui/field";
import { Result } from "@/ui/query";
import { ErrorNote } from "@/ui/state";
import { FeatureField, useFeatureChoice } from "./feature-choice";

type Draft = { text: string; feature: string; scope: string | null; priority: Priority; chained: boolean };
const EMPTY: Draft = { text: "", feature: "", scope: null, priority: "medium", chained: false };

/** Rows of what would be made: enough to see that it is read as it was meant. */
const SHOWN = 100;

const EXAMPLE = `- [ ] Store refunds
  One row each, with the time.
- [ ] Retry those that time out`;

/** Creates tasks from a list that was written elsewhere, after showing them. */
export function ImportTasks({ feature, onClose }: { feature?: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [draft, change, clear] = useDraft("import", EMPTY);
  const choice = useFeatureChoice(feature, draft.feature, draft.scope);
  const { text, priority, chained } = draft;
  const list = useDeferredValue(text);
  const listed = useQuery({
    ...queries.listedTasks({ feature: choice.feature, text: list, priority, chained }),
    enabled: list.trim() !== "",
  });
  const found = text.trim() === "" ? 0 : (listed.data?.tasks.length ?? 0);
  const make = useCommand(
    async () => {
      const wasFirst = choice.scope !== undefined;
      return { ...(await commands.importTasks({ feature: await choice.made(), text, priority, chained })), wasFirst };
    },
    {
      errors: "inline",
      onDone: ({ tasks, wasFirst }) => {
        tellDone(`${count(tasks.length, "task")} created`);
        clear();
        if (wasFirst) void navigate({ to: "/loop" });
        else onClose();
      },
    },
  );
  const lacks =
    text.trim() === ""
      ? "A list is missing"
      : (choice.lacks ?? (found > 0 ? undefined : listed.isFetching ? "Reading it…" : "It makes no task"));
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title="Tasks from a list"
      writing={make.isPending}
      onSubmit={() => lacks === undefined && make.mutate(undefined)}
      footer={
        <>
          <div className="mr-auto flex items-center gap-2 text-dim">
            <Checkbox
              label="Each waits for the one before it"
              checked={chained}
              onChange={(on) => change({ chained: on })}
            />
            <span aria-hidden="true">Each waits for the one before it</span>
          </div>
          <DialogEnd
            send={found > 0 ? `Create ${count(found, "task")}` : "Create tasks"}
            onCancel={onClose}
            lacks={lacks}
          />
        </>
      }
    >
      <div className="flex flex-col gap-3 pb-1">
        <Field
          label="List"
          hint="In Markdown: each item becomes a task, and what is indented below it its description. Where the list has boxes, only empty ones count."
        >
          {(field) => (
            <Textarea
              {...field}
              autoFocus
              rows={8}
              spellCheck={false}
              className="font-mono text-xs"
              placeholder={EXAMPLE}
              value={text}
              onChange={(event) => change({ text: event.target.value })}
            />
          )}
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <FeatureField
            feature={choice.feature}
            scope={choice.scope}
            onFeature={(name) => {
              choice.chosen();
              change({ feature: name });
            }}
            onScope={(scope) => change({ scope })}
          />
          <ChoiceField
            label="Priority"
            value={priority}
            onChange={(next) => change({ priority: next })}
            options={PRIORITIES.map((value) => ({ value, label: priorityWord[value] }))}
          />
        </div>
        {list.trim() !== "" && <Result of={listed}>{(all) => <Listed all={all} />}</Result>}
        {make.fault && <ErrorNote fault={make.fault} />}
      </div>
    </Dialog>
  );
}

/** The tasks that the list becomes, in its order. */
function Listed({ all: { tasks, left_out } }: { all: ListedTasks }) {
  const rows = [
    ...tasks.map((task) => ({ ...task, why: null })),
    ...left_out.map((item) => ({ ...item, description: "" })),
  ]
    .sort((one, other) => one.line - other.line)
    .slice(0, SHOWN);
  const rest = tasks.length + left_out.length - rows.length;
  if (rows.length === 0) {
    return <p className="text-dim">No list yet: begin the line of each task with “- ”, “1. ” or “- [ ] ”.</p>;
  }
  return (
    <section aria-label="What is made">
      <h3 className="num mb-1 text-xs font-medium text-dim">
        {count(tasks.length, "task")}
        {left_out.length > 0 && `, ${left_out.length} left out`}
      </h3>
      <ol className="divide-y divide-line rounded-md border border-line">
        {rows.map(({ line, title, description, why }) => (
          <li key={line} className="flex items-baseline gap-3 px-2.5 py-1.5">
            <span className="min-w-0 flex-1">
              <span className={why === null ? "block truncate" : "block truncate text-faint line-through"}>
                {title}
              </span>
              {description && <span className="block truncate text-xs text-dim">{description}</span>}
            </span>
            {why !== null && <span className="shrink-0 text-xs text-faint">{why}</span>}
          </li>
        ))}
      </ol>
      {rest > 0 && <p className="num pt-1 text-xs text-faint">and {rest} more</p>}
    </section>
  );
}
