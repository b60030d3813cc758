import { describe, expect, it } from "vitest";
import { around, packed } from "./layers";

const node = (id: number, ...depends_on: number[]) => ({ id, depends_on });

describe("a graph in parts", () => {
  it("puts many small parts beside each other, not into a tower", () => {
    const pairs = Array.from({ length: 500 }, (_, at) => [node(2 * at + 1), node(2 * at + 2, 2 * at + 1)]).flat();
    const places = packed(pairs, 0.4);
    const rows = Math.max(...places.map(({ row }) => row)) + 1;
    const layers = Math.max(...places.map(({ layer }) => layer)) + 1;
    expect(rows).toBeLessThanOrEqual(51);
    expect(layers).toBeLessThanOrEqual(22);
    expect(new Set(places.map(({ layer, row }) => `${layer} ${row}`)).size).toBe(1000);
  });

  it("keeps what a task needs on its left", () => {
    const places = new Map(packed([node(1), node(2, 1), node(3, 2), node(4)], 1).map((place) => [place.id, place]));
    expect(places.get(1)?.layer).toBeLessThan(places.get(2)?.layer ?? 0);
    expect(places.get(2)?.layer).toBeLessThan(places.get(3)?.layer ?? 0);
  });

  it("knows what one needs and what needs it, and none beside", () => {
    const nodes = [node(1), node(2, 1), node(3, 2), node(4, 1), node(5)];
    expect([...around(nodes, 2)].sort()).toEqual([1, 2, 3]);
    expect([...around(nodes, 1)].sort()).toEqual([1, 2, 3, 4]);
  });

  it("ends at a cycle", () => {
    expect([...around([node(1, 2), node(2, 1)], 1)].sort()).toEqual([1, 2]);
  });
});
