import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { later } from "@/test/later";
import { makeWorld } from "@/test/world";
import * as queries from "./queries";
import { listenForTopics, topicPredicate } from "./topics";

/** A query that shows one answer after the other, each when it is let out. */
async function shown() {
  const { transport } = makeWorld();
  const client = new QueryClient();
  await listenForTopics(client);
  const answers: ReturnType<typeof later<string>>[] = [];
  const ask = () => {
    const answer = later<string>();
    answers.push(answer);
    return answer.promise;
  };
  const observer = new QueryObserver(client, { queryKey: ["iterations", "slow"], queryFn: ask });
  const stop = observer.subscribe(() => undefined);
  const data = () => observer.getCurrentResult().data;
  const let_out = (at: number, words: string) => answers[at]?.resolve(words);
  return { transport, answers, data, let_out, stop };
}

it("asks again for a first answer that was on its way when somebody committed", async () => {
  const { transport, answers, data, let_out, stop } = await shown();
  await transport.changed("iterations");
  let_out(0, "as it was before");
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  let_out(1, "as it is");
  await vi.waitFor(() => expect(data()).toBe("as it is"));
  stop();
});

it("shows a slow answer during a run, which commits faster than it comes", async () => {
  const { transport, answers, data, let_out, stop } = await shown();
  let_out(0, "at first");
  await vi.waitFor(() => expect(data()).toBe("at first"));
  for (let commit = 0; commit < 5; commit += 1) await transport.changed("iterations");
  expect(answers).toHaveLength(2);
  let_out(1, "meanwhile");
  await vi.waitFor(() => expect(data()).toBe("meanwhile"));
  await vi.waitFor(() => expect(answers).toHaveLength(3));
  let_out(2, "at last");
  await vi.waitFor(() => expect(data()).toBe("at last"));
  expect(answers).toHaveLength(3);
  stop();
});

it("asks again for what an errand cost, a setting decided, or a task is called", () => {
  const follows = (topic: "runs" | "settings" | "tasks", { queryKey, meta }: { queryKey: unknown; meta?: unknown }) =>
    topicPredicate([topic])({ queryKey, meta } as never);
  expect(follows("runs", queries.insights()) && follows("runs", queries.workOverTime())).toBe(true);
  for (const query of [queries.tasks({}), queries.task(1), queries.nextPrompt(1)])
    expect(follows("settings", query)).toBe(true);
  expect(follows("tasks", queries.reviews()) && follows("tasks", queries.review("1"))).toBe(true);
});
