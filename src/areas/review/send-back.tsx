import { Trash2 } from "lucide-react";
import { commands, type LineComment } from "@/ipc";
import { useCommand } from "@/lib/command";
import { count } from "@/lib/format";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field, Textarea } from "@/ui/field";
import { ErrorNote } from "@/ui/state";

/** The message to the next attempt: a comment on the whole, and the remarks on lines. */
export function SendBack({
  onClose,
  task,
  lines,
  onLeaveOut,
  comment,
  onComment,
  onSent,
}: {
  onClose: () => void;
  task: number;
  lines: LineComment[];
  /** Takes one of the lines out. */
  onLeaveOut: (index: number) => void;
  comment: string;
  onComment: (text: string) => void;
  onSent: () => void;
}) {
  const send = useCommand(() => commands.sendBackTask({ task, comment: comment.trim(), lines }), {
    errors: "inline",
    onDone: onSent,
  });
  const nothing = comment.trim() === "" && lines.length === 0;
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={`Send #${task} back`}
      writing={send.isPending}
      description="The next attempt goes on from this work and is told what you say here."
      onSubmit={() => {
        if (!nothing) send.mutate(undefined);
      }}
      footer={
        <Button type="submit" look="primary" disabled={nothing}>
          Send back
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label="On the whole" hint={nothing ? "Say here, or on a line, what should be different." : undefined}>
          {(props) => (
            <Textarea {...props} autoFocus value={comment} onChange={(event) => onComment(event.target.value)} />
          )}
        </Field>
        {lines.length > 0 && (
          <section aria-label="Comments on lines">
            <h3 className="mb-1 text-xs font-medium text-dim">{count(lines.length, "comment")} on lines</h3>
            <ul className="flex max-h-60 flex-col gap-2 overflow-y-auto">
              {lines.map(({ file, line, text }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two remarks may say the same of one line.
                <li key={index} className="flex items-start gap-2 rounded-md border border-line py-1.5 pr-1 pl-2.5">
                  <div className="min-w-0 flex-1">
                    <p className="truncate font-mono text-2xs text-faint">
                      {file}
                      {line != null && `:${line}`}
                    </p>
                    <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>
                  </div>
                  <Button look="ghost" size="sm" aria-label={`Remove: ${text}`} onClick={() => onLeaveOut(index)}>
                    <Trash2 size={12} />
                  </Button>
                </li>
              ))}
            </ul>
          </section>
        )}
        {send.fault && <ErrorNote fault={send.fault} />}
      </div>
    </Dialog>
  );
}
