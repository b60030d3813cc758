import { Link } from "@tanstack/react-router";
import { commands, type Leave, type Question } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { Row } from "./row";

/** A permission that a running agent asks for; without an answer it is denied after some minutes. */
export function QuestionRow({ question }: { question: Question }) {
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
          <code className="font-mono">{question.summary}</code>
          <span className="num text-faint"> · denied in {seconds} s</span>
        </>
      }
      since={question.asked}
      actions={
        <>
          <Button disabled={answer.isPending} onClick={() => answer.mutate("yes")}>
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
