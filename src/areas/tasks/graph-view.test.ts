import { expect, it } from "vitest";
import { fitted, zoomed } from "./graph-view";

it("shows the whole of a large drawing, and no small one larger than life", () => {
  expect(fitted({ width: 4000, height: 1000 }, { width: 1000, height: 800 })).toEqual({ scale: 0.25, x: 0, y: 275 });
  expect(fitted({ width: 100, height: 100 }, { width: 1000, height: 800 }).scale).toBe(1);
});

it("keeps what is under the pointer there while the size changes", () => {
  const before = { x: -100, y: 40, scale: 1 };
  const still = { x: 300, y: 200 };
  const after = zoomed(before, 0.5, still);
  expect((still.x - after.x) / after.scale).toBeCloseTo((still.x - before.x) / before.scale);
  expect((still.y - after.y) / after.scale).toBeCloseTo((still.y - before.y) / before.scale);
});
