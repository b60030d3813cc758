import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { NeedsYou, Question } from "@/ipc";
import { before } from "@/test/builders";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

const asked = (id: number): NeedsYou => {
  const question: Question = {
    id,
    run: 38,
    iteration: 104,
    task: 208,
    title: "Refund twice",
    tool: "Bash",
    summary: `make part-${id}`,
    asked: before(0),
    until: before(-2),
    answer: null,
    answered: null,
    by_person: false,
  };
  return { kind: "question", question };
};

it("a question that comes under a resting pointer is not answered by the press that was meant for the one before it", async () => {
  const world = makeWorld();
  const others = world.overview.needs_you;
  world.overview = { ...world.overview, needs_you: [asked(3), asked(4), ...others] };
  world.transport.handlers.answer_question = () => new Promise<never>(() => {});
  const { person } = renderWindow("/needs-you");
  const rows = await screen.findAllByTestId("question");
  await person.hover(within(rows[0] as HTMLElement).getByRole("button", { name: "Allow" }));
  world.overview = { ...world.overview, needs_you: [asked(4), ...others] };
  await act(() => world.transport.changed("iterations"));
  await waitFor(() => expect(screen.getAllByTestId("question")).toHaveLength(1));
  const allow = screen.getByRole("button", { name: "Allow" });
  fireEvent.click(allow, { detail: 1 });
  expect(world.transport.called("answer_question")).toEqual([]);
  await person.hover(allow);
  fireEvent.click(allow, { detail: 1 });
  await waitFor(() => expect(world.transport.called("answer_question")).toEqual([{ id: 4, answer: "yes" }]));
});
