import { commands, type TaskDetail } from "@/ipc";
import { useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { ago, moment } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { provenanceWord } from "@/lib/words";
import { Button } from "@/ui/button";
import { Textarea } from "@/ui/field";
import { Section } from "@/ui/page";
import { ErrorNote } from "@/ui/state";

/** Comments on a task; the next attempt's prompt includes them. */
export function Comments({ task }: { task: TaskDetail }) {
  const now = useNow(60_000);
  const [draft, change, clear] = useDraft(`comment.${task.id}`, { text: "" });
  const add = useCommand(() => commands.addComment(task.id, draft.text.trim()), { errors: "inline", onDone: clear });
  const blank = draft.text.trim() === "";
  return (
    <Section title="Comments">
      <ul className="flex flex-col gap-3">
        {task.comments.map((comment) => (
          <li key={comment.id}>
            <p className="text-xs text-faint">
              <span className="font-medium text-dim">{provenanceWord[comment.author]}</span>{" "}
              <time dateTime={comment.created} title={moment(comment.created)}>
                {ago(comment.created, now)}
              </time>
            </p>
            <p className="selectable whitespace-pre-wrap wrap-anywhere">{comment.text}</p>
          </li>
        ))}
      </ul>
      <form
        className="mt-3 flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!blank) add.mutate(undefined);
        }}
      >
        <Textarea
          aria-label="New comment"
          placeholder="Say something about this task"
          className="min-h-16"
          // What is typed while it is being saved would be lost with it.
          readOnly={add.isPending}
          value={draft.text}
          onChange={(event) => change({ text: event.target.value })}
        />
        {add.fault && <ErrorNote fault={add.fault} />}
        <Button
          type="submit"
          className="self-end"
          disabled={add.isPending}
          lacks={blank ? "Write a comment first" : undefined}
        >
          Comment
        </Button>
      </form>
    </Section>
  );
}
