import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { commands, type Leave, type Question } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { number } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { Harmless } from "@/ui/diff/code";
import { Row } from "./row";

/** Lines and characters shown at first. */
const FIRST_LINES = 12;
const FIRST_CHARS = 800;

/** A permission that a running agent asks for; without an answer it is denied after some minutes. */
export function QuestionRow({
  question,
  isMeant,
}: {
  question: Question;
  /** Whether a press was meant for this question. */
  isMeant: (press: { detail: number }) => boolean;
}) {
  const now = useNow(1_000);
  const answer = useCommand((leave: Leave) => commands.answerQuestion(question.id, leave), {
    onDone: (given) => tellDone(given.answer === "yes" ? "The agent may" : "The agent may not"),
  });
  const seconds = Math.max(0, Math.ceil((Date.parse(question.until) - now) / 1_000));
  return (
    <Row
      testId="question"
      title={
        <Link
          to="/loop/$run/$iteration"
          params={{ run: String(question.run), iteration: String(question.iteration) }}
          data-row
          className="block truncate hover:underline"
        >
          <span className="num mr-0.5 text-faint">#{question.task}</span> {question.title} asks to use {question.tool}
        </Link>
      }
      reason={
        <>
          <Asked text={question.summary} />
          <span className="num text-faint">denied in {seconds} s</span>
        </>
      }
      since={question.asked}
      actions={
        <>
          <Button disabled={answer.isPending} onClick={(press) => isMeant(press) && answer.mutate("yes")}>
            Allow
          </Button>
          <Button disabled={answer.isPending} look="ghost" onClick={() => answer.mutate("no")}>
            Deny
          </Button>
        </>
      }
    />
  );
}

/** Everything that a yes allows, in an agent's words; a folded part says so. */
function Asked({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const first = text.split("\n").slice(0, FIRST_LINES).join("\n").slice(0, FIRST_CHARS);
  const left = text.length - first.length;
  return (
    <>
      <code className="block font-mono whitespace-pre-wrap">
        {(open ? text : first).split("\n").map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fixed text; they may repeat.
          <bdi key={index} className="block min-h-4">
            <Harmless text={line} />
          </bdi>
        ))}
      </code>
      {left > 0 && !open && (
        <button type="button" className="mr-2 text-accent" onClick={() => setOpen(true)}>
          {number(left)} more characters
        </button>
      )}
    </>
  );
}
