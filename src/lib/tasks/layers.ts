/** A node of a dependency graph in its place: `layer` from the left, `row` from the top. */
export type Placed = { id: number; layer: number; row: number };

/**
 * Lays a graph out in layers: a node is to the right of everything that it depends on, and near the middle of that.
 * Edges to unknown nodes are left out. A cycle can't come from the backend; were there one, its nodes end in some layer
 * rather than in an endless loop.
 */
export function layered(nodes: { id: number; depends_on: number[] }[]): Placed[] {
  const known = new Map(nodes.map((node) => [node.id, node.depends_on]));
  const layerOf = new Map<number, number>();
  const visiting = new Set<number>();
  const depth = (id: number): number => {
    const done = layerOf.get(id);
    if (done !== undefined) return done;
    if (visiting.has(id)) return 0;
    visiting.add(id);
    const below = (known.get(id) ?? []).filter((d) => known.has(d)).map(depth);
    const layer = below.length === 0 ? 0 : Math.max(...below) + 1;
    layerOf.set(id, layer);
    return layer;
  };
  for (const { id } of nodes) depth(id);

  const layers: number[][] = [];
  for (const { id } of nodes) {
    const layer = layerOf.get(id) ?? 0;
    layers[layer] ??= [];
    layers[layer].push(id);
  }
  const rowOf = new Map<number, number>();
  layers.forEach((layer, index) => {
    if (index > 0) {
      const middle = (id: number) => {
        const rows = (known.get(id) ?? []).flatMap((d) => rowOf.get(d) ?? []);
        return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
      };
      layer.sort((x, y) => middle(x) - middle(y));
    }
    for (const [row, id] of layer.entries()) rowOf.set(id, row);
  });
  return nodes.map(({ id }) => ({ id, layer: layerOf.get(id) ?? 0, row: rowOf.get(id) ?? 0 }));
}

type Node = { id: number; depends_on: number[] };

/** Connected nodes, part by part; the largest first, ties in order. */
function parts<T extends Node>(nodes: readonly T[]): T[][] {
  const partOf = new Map<number, number>();
  const root = (id: number): number => {
    let at = id;
    for (let up = partOf.get(at); up !== undefined && up !== at; up = partOf.get(at)) at = up;
    return at;
  };
  for (const { id } of nodes) partOf.set(id, id);
  for (const { id, depends_on } of nodes) {
    for (const other of depends_on) if (partOf.has(other)) partOf.set(root(other), root(id));
  }
  const found = new Map<number, T[]>();
  for (const node of nodes) {
    const key = root(node.id);
    found.set(key, [...(found.get(key) ?? []), node]);
  }
  return [...found.values()].sort((a, b) => b.length - a.length || (a[0]?.id ?? 0) - (b[0]?.id ?? 0));
}

/**
 * Lays out each connected part of a graph in layers, and the parts in columns below and beside each other, so that the whole is
 * about `aspect` times as many layers wide as it is rows high: five hundred pairs don't form a tower.
 */
export function packed(nodes: readonly Node[], aspect: number): Placed[] {
  const laid = parts(nodes).map((part) => {
    const places = layered(part);
    const width = Math.max(...places.map(({ layer }) => layer)) + 1;
    const height = Math.max(...places.map(({ row }) => row)) + 1;
    return { places, width, height };
  });
  const area = laid.reduce((sum, { width, height }) => sum + width * height, 0);
  const most = Math.max(Math.ceil(Math.sqrt(area / aspect)), ...laid.map(({ height }) => height));
  let [left, top, widest] = [0, 0, 0];
  return laid.flatMap(({ places, width, height }) => {
    if (top > 0 && top + height > most) [left, top, widest] = [left + widest, 0, 0];
    const placed = places.map(({ id, layer, row }) => ({ id, layer: left + layer, row: top + row }));
    top += height;
    widest = Math.max(widest, width);
    return placed;
  });
}

/** A node, everything that it needs, directly or not, and everything that needs it. */
export function around(nodes: readonly Node[], id: number): Set<number> {
  const needs = new Map(nodes.map((node) => [node.id, node.depends_on]));
  const neededBy = new Map<number, number[]>();
  for (const node of nodes) {
    for (const other of node.depends_on) neededBy.set(other, [...(neededBy.get(other) ?? []), node.id]);
  }
  const found = new Set<number>([id]);
  const follow = (edges: Map<number, number[]>) => {
    const seen = new Set<number>([id]);
    const open = [id];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const other of edges.get(next) ?? []) {
        if (seen.has(other) || !needs.has(other)) continue;
        seen.add(other);
        found.add(other);
        open.push(other);
      }
    }
  };
  follow(needs);
  follow(neededBy);
  return found;
}
