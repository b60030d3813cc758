/** A project of the size at which a list, a palette and a graph show whether they were made for it. */
import { featureRow, learning, saturation, task } from "./builders";
import { firstEffects, SAMPLE_EFFECTS } from "./over-time";
import type { World } from "./world";

const FEATURES = 200;
const TASKS = 2_000;
const LEARNINGS = 10_000;

/** A word too long for any line: nothing that contains it may scroll sideways because of it. */
const LONG = "a-tag-of-one-word-".repeat(12);

const nameOf = (at: number) => `area-${String(at % FEATURES).padStart(3, "0")}`;

/** Fills a world with 200 features, 2,000 tasks that depend on each other, and 10,000 learnings, each of which was told. */
export function manyOfAll(world: World): void {
  world.features.splice(
    0,
    world.features.length,
    ...Array.from({ length: FEATURES }, (_, at) =>
      featureRow(nameOf(at), { saturation: saturation(nameOf(at), (at * 7) % 50, at % 9) }),
    ),
  );
  world.tasks.splice(
    0,
    world.tasks.length,
    ...Array.from({ length: TASKS }, (_, at) =>
      task(at + 1, nameOf(at), `Work of some length on part ${at + 1} of ${nameOf(at)}`, {
        depends_on: at % 4 === 3 ? [at] : [],
        readiness: at % 4 === 3 ? "waiting" : "ready",
        tags: at === 0 ? [LONG] : [],
      }),
    ),
  );
  world.learnings.splice(
    0,
    world.learnings.length,
    ...Array.from({ length: LEARNINGS }, (_, at) =>
      learning(`M${at}`, nameOf(at), `Lesson ${at}: ${nameOf(at)} answers later than its caller expects`, {
        tags: at === 0 ? [LONG] : [],
      }),
    ),
  );
  const [sample] = SAMPLE_EFFECTS;
  if (!sample) throw new Error("the sample has effects");
  const effects = world.learnings.map(({ id, text }, at) => ({ ...sample, learning: id, text, shown: LEARNINGS - at }));
  world.transport.handlers.learning_effects = (_, limit) => firstEffects(effects, limit);
}
