/** Facts and episodes of the sample world. */
import type { EpisodeRow, FactRow } from "@/ipc";
import type { Handlers } from "@/ipc/fake-transport";
import { before } from "./builders";

const own = { source: "human" as const, state: "active" as const, outside: false, outside_replica: null };

export function memoryHandlers(full: boolean): Handlers {
  let facts: FactRow[] = full
    ? [
        {
          ...own,
          id: "F1",
          kind: "test_command",
          subject: "test command",
          value: "make test",
          confidence: 1,
          file: "Makefile",
          line: 3,
          created: before(60),
        },
      ]
    : [];
  let episodes: EpisodeRow[] = full
    ? [
        {
          ...own,
          id: "E1",
          feature: "billing",
          source: "auto",
          lesson: "'Refund by key' was done, and the check passed. Changed: src/refund.rs",
          lesson_type: "success",
          confidence: 0.9,
          task_id: 7,
          iteration: 40,
          files: ["src/refund.rs"],
          created: before(30),
        },
      ]
    : [];
  const stands = (id: string, active: boolean) => {
    const state = active ? ("active" as const) : ("withdrawn" as const);
    const withdrawn = active ? null : { at: before(0), because: "person" as const, detail: "" };
    facts = facts.map((fact) => (fact.id === id ? { ...fact, state, withdrawn } : fact));
    episodes = episodes.map((episode) => (episode.id === id ? { ...episode, state, withdrawn } : episode));
    return null;
  };
  return {
    list_facts: () => facts,
    list_episodes: () => episodes,
    state_fact: ({ subject, value, feature, file, line }) => {
      const made = {
        ...own,
        id: `F${facts.length + 1}`,
        kind: "note",
        subject,
        value,
        confidence: 1,
        created: before(0),
      };
      const fact: FactRow = { ...made, feature, file, line };
      facts = [...facts, fact];
      return { verdict: "added" as const, fact, replaced: [] };
    },
    withdraw_memory: (id) => stands(id, false),
    restore_memory: (id) => stands(id, true),
  };
}
