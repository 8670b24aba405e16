import { describe, expect, it } from 'vitest';
import { layoutBox } from '../src/layout/layout';
import { orderRows, type RowGraph } from '../src/layout/order';

const size = { width: 60, height: 28 };
const items = (count: number) => Array.from({ length: count }, () => ({ ...size }));

/** Rows of names, and edges between them, as dagre gives them. */
function rowGraph(rows: string[][], edges: [string, string][]): RowGraph & { order(row: string[]): string[] } {
  const nodes = new Map(rows.flatMap((row, rank) => row.map((name): [string, { rank: number; order?: number }] => [name, { rank }])));
  return {
    nodes: () => [...nodes.keys()],
    node: (name) => nodes.get(name)!,
    edges: () => edges.map(([v, w]) => ({ v, w })),
    edge: () => ({ weight: 1 }),
    order: (row) => [...row].sort((a, b) => nodes.get(a)!.order! - nodes.get(b)!.order!),
  };
}
function crossings(graph: RowGraph): number {
  const edges = graph.edges().map(({ v, w }) => [graph.node(v), graph.node(w)]);
  return edges.flatMap(([a, b], i) => edges.slice(i + 1).filter(([c, d]) => a.rank === c.rank && (a.order! - c.order!) * (b.order! - d.order!) < 0)).length;
}

describe('the order of a row', () => {
  it('has no crossings if there need be none', () => {
    const rows = [['a', 'b', 'c'], ['x', 'y', 'z'], ['p', 'q', 'r']];
    const graph = rowGraph(rows, [['a', 'z'], ['b', 'y'], ['c', 'x'], ['x', 'q'], ['y', 'r'], ['z', 'p']]);
    orderRows(graph);
    expect(crossings(graph)).toBe(0);
    for (const row of rows) expect(graph.order(row).map((name) => graph.node(name).order)).toEqual([0, 1, 2]);
  });

  it('has as few crossings as possible where some are needed', () => {
    const graph = rowGraph([['a', 'b', 'c'], ['x', 'y', 'z']], [['a', 'x'], ['a', 'y'], ['a', 'z'], ['b', 'x'], ['b', 'z'], ['c', 'y']]);
    orderRows(graph);
    expect(crossings(graph)).toBe(1); // a and b both read x and z
  });

  it('takes time in proportion to the graph', () => {
    const rows = Array.from({ length: 2000 }, (_, i) => [`a${i}`, `b${i}`]);
    const edges = rows.slice(1).flatMap(([a, b], i): [string, string][] => [[rows[i][0], b], [rows[i][1], a]]);
    const graph = rowGraph(rows, edges);
    const start = performance.now();
    orderRows(graph);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('the layout of a box', () => {
  it('puts projections of one tensor side by side, although one of them is needed later', () => {
    // 0, 1 and 2 read from outside: 0 → 3 → 4 → 5 → 6, 1 → 6 and 2 → 6.
    const made = layoutBox({ items: items(7), edges: [[0, 3], [3, 4], [4, 5], [5, 6], [1, 6], [2, 6]], inputs: [0, 1, 2], outputs: [6] });
    expect(made.items[1].y).toBe(made.items[0].y);
    expect(made.items[2].y).toBe(made.items[0].y);
  });

  it('leads edges from and to outside around the others', () => {
    // 1 also reads from outside, and 0 is also read outside.
    const made = layoutBox({ items: items(3), edges: [[0, 1], [1, 2]], inputs: [0, 1], outputs: [0, 2] });
    const middle = (points: { x: number }[]) => points.reduce((sum, { x }) => sum + x, 0) / points.length;
    const [chain, input, output] = [made.edges[0], made.edges[3], made.edges[4]].map(middle);
    expect((input - chain) * (output - chain)).toBeLessThan(0); // one on each side
  });
});
