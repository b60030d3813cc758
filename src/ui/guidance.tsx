import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { commands, type Guidance, queries } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { ago } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Button } from "./button";
import { Input } from "./field";
import { ErrorNote } from "./state";

/** A form for guidance to the next iteration of a task, or of any; the text is kept while it can't be sent. */
export function GuidanceField({
  task,
  label,
  autoFocus = false,
  onWriting,
  onDone,
  className,
}: {
  task: number | null;
  label: string;
  autoFocus?: boolean;
  /** Called when somebody is about to write, and while they do. */
  onWriting?: () => void;
  onDone?: () => void;
  className?: string;
}) {
  const [draft, change, clear] = useDraft(`guidance.${task ?? "any"}`, { text: "" });
  const give = useCommand(() => commands.guide(task, draft.text.trim()), {
    errors: "inline",
    onDone: (given) => {
      clear();
      tellDone("The next iteration is told", () => commands.withdrawGuidance(given.id));
      onDone?.();
    },
  });
  return (
    <form
      className={cn("flex flex-col gap-2", className)}
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.text.trim() !== "" && !give.isPending) give.mutate(undefined);
      }}
    >
      <div className="flex gap-2">
        <Input
          aria-label={label}
          placeholder={task === null ? "Words for the next iteration" : label}
          // What is typed while it is being saved would be lost with it.
          readOnly={give.isPending}
          value={draft.text}
          autoFocus={autoFocus}
          onFocus={onWriting}
          onChange={(event) => {
            onWriting?.();
            change({ text: event.target.value });
          }}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || !onDone || give.isPending) return;
            event.stopPropagation();
            onDone();
          }}
        />
        <Button
          type="submit"
          size="icon"
          className="size-8"
          aria-label="Guide"
          title="Guide"
          disabled={give.isPending}
          lacks={draft.text.trim() === "" ? "Write what it should know" : undefined}
        >
          <Send size={14} />
        </Button>
      </div>
      {give.fault && <ErrorNote fault={give.fault} />}
    </form>
  );
}

/** Guidance that is not delivered yet: all of it, or that for a task's next iteration. */
export function WaitingGuidance({ task }: { task?: number }) {
  const { data } = useQuery(queries.overview());
  const waiting = (data?.guidance ?? []).filter(
    (given) => task === undefined || given.task === null || given.task === task,
  );
  if (waiting.length === 0) return null;
  return (
    <ul aria-label="Guidance that waits" className="flex flex-col gap-1.5">
      {waiting.map((given) => (
        <li key={given.id}>
          <Waiting given={given} named={task === undefined} />
        </li>
      ))}
    </ul>
  );
}

function Waiting({ given, named }: { given: Guidance; named: boolean }) {
  const now = useNow(60_000);
  const back = useCommand(() => commands.withdrawGuidance(given.id), {
    onDone: ({ task, text }) => tellDone("Guidance taken back", () => commands.guide(task, text)),
  });
  return (
    <div className="rounded-lg border border-line bg-panel px-3 py-1.5">
      <p className="selectable whitespace-pre-wrap wrap-anywhere">{given.text}</p>
      <div className="flex items-center gap-2">
        <p className="num min-w-0 flex-1 text-xs text-faint">
          {given.task === null ? (
            "for the next iteration"
          ) : named ? (
            <>
              for the next iteration of{" "}
              <Link to="/tasks/$id" params={{ id: String(given.task) }} className="text-dim underline hover:text-text">
                #{given.task}
              </Link>
            </>
          ) : (
            "for its next iteration"
          )}
          {` · ${ago(given.created, now)}`}
        </p>
        <Button
          size="sm"
          look="ghost"
          className="-mr-1.5"
          disabled={back.isPending}
          onClick={() => back.mutate(undefined)}
        >
          Take back
        </Button>
      </div>
    </div>
  );
}
