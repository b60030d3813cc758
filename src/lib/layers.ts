/** A node of a dependency graph in its place: `layer` from the left, `row` from the top. */
export type Placed = { id: number; layer: number; row: number };

/**
 * Lays a graph out in layers: a node stands right of everything it depends on, and near the middle of it.
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
