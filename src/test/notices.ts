/** What waits for a person in the sample project, and what they said before. */
import type { Notice, Overview, Topic } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { before } from "./builders";

export function notice(id: number, part: Partial<Notice>): Notice {
  return {
    id,
    kind: "proposal",
    run: 38,
    iteration: 104,
    task: null,
    title: "",
    detail: "",
    wish: null,
    created: before(12),
    settled: null,
    accepted: null,
    ...part,
  };
}

export const NOTICES: Notice[] = [
  notice(3, {
    kind: "git_harm",
    task: 208,
    title: "Uncommitted work of yours is gone",
    detail: "src/refund/window.rs was changed before the iteration and is as committed now.\nA copy was kept first.",
  }),
  notice(4, {
    task: 220,
    title: "Close task #220 as done",
    detail: "status: pending → done",
    wish: { act: "update_task", task: 220, patch: { status: "done" } },
  }),
  notice(2, {
    title: "Retire learning L003",
    wish: { act: "retire_learning", id: "L003" },
    created: before(60 * 26),
    settled: before(60 * 25),
    accepted: false,
  }),
];

export function noticeHandlers(
  world: { overview: Overview },
  full: boolean,
  changed: (...topics: Topic[]) => void,
): Handlers {
  let rows = full ? NOTICES : [];
  return {
    list_notices: (all) => rows.filter(({ accepted }) => all || accepted === null),
    settle_notice: (id, accept) => {
      const found = rows.find((row) => row.id === id);
      if (!found) throw fault("not_found", `There is no notice '${id}'.`);
      const settled = { ...found, accepted: accept, settled: before(0) };
      rows = rows.map((row) => (row.id === id ? settled : row));
      world.overview = {
        ...world.overview,
        needs_you: world.overview.needs_you.filter((item) => item.kind !== "notice" || item.notice.id !== id),
        needs_you_count: world.overview.needs_you_count - 1,
      };
      changed("notices");
      return settled;
    },
    reopen_notice: (id) => {
      const found = rows.find((row) => row.id === id);
      if (!found) throw fault("not_found", `There is no notice '${id}'.`);
      const notice = { ...found, accepted: null, settled: null };
      rows = rows.map((row) => (row.id === id ? notice : row));
      world.overview = {
        ...world.overview,
        needs_you: [...world.overview.needs_you, { kind: "notice", notice }],
        needs_you_count: world.overview.needs_you_count + 1,
      };
      changed("notices");
      return notice;
    },
  };
}
