import { useRef } from "react";
import type { Question } from "@/ipc";
import { QuestionRow } from "./question-row";

/**
 * Agents' requests for permission. When a question runs out, the next one moves under a pointer that was about to click: a yes counts only
 * once the pointer has moved over the list as it is now, since it can't be taken back.
 */
export function Questions({
  questions,
  above,
}: {
  questions: readonly Question[];
  /** Changes with what is above the list. */
  above: string;
}) {
  const order = `${above} ${questions.map(({ id }) => id).join(" ")}`;
  const seen = useRef<string | null>(null);
  const see = () => {
    seen.current = order;
  };
  return (
    // A finger rests nowhere.
    <ul onPointerMove={see} onPointerDown={({ pointerType }) => pointerType !== "mouse" && see()}>
      {questions.map((question) => (
        <li key={question.id}>
          <QuestionRow
            question={question}
            isMeant={({ detail }) => {
              const isSeen = seen.current === order;
              see();
              // A key presses the focused element, wherever it has moved.
              return isSeen || detail === 0;
            }}
          />
        </li>
      ))}
    </ul>
  );
}
