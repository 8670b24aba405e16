import { describe, expect, it } from 'vitest';
import { findBackEdges } from '../src/layout/cycles';
import { layoutBox } from '../src/layout/layout';
import { orderRows, type RowGraph } from '../src/layout/order';
import { splitBox } from '../src/layout/pieces';
import { spread } from '../src/layout/route';
import { placeLabels } from '../src/view/labels';

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
    expect(performance.now() - start).toBeLessThan(5000);
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

  it('begins edges from outside above all items, also above those that read nothing', () => {
    // 0 → 1 → 2, and 2 also reads from outside.
    const made = layoutBox({ items: items(3), edges: [[0, 1], [1, 2]], inputs: [2], outputs: [] });
    expect(made.edges[2][0].y).toBe(0);
    expect(made.items[0].y).toBeGreaterThan(0);
  });

  it('leads edges to outside past the other items of a cycle', () => {
    const made = layoutBox({ items: items(2), edges: [[0, 1], [1, 0]], inputs: [0, 1], outputs: [0] });
    const [down, back, , , output] = made.edges;
    expect(down.at(-1)!.y).toBeCloseTo(made.items[1].y);
    expect(back[0].y).toBeCloseTo(made.items[1].y); // from its upper side to the lower side of the other
    expect(output.at(-1)!.y).toBeCloseTo(made.height);
    expect(Math.abs(down[0].x - back.at(-1)!.x)).toBeGreaterThan(5);
  });

  it('ends edges at one item apart from each other', () => {
    const many = 6;
    const made = layoutBox({ items: items(many + 1), edges: items(many).map((_, i): [number, number] => [i, many]), inputs: [], outputs: [] });
    const ends = made.edges.map((points) => points.at(-1)!.x).sort((a, b) => a - b);
    for (let i = 1; i < many; ++i) expect(ends[i] - ends[i - 1]).toBeGreaterThan(5);
  });
});

describe('pieces of a box', () => {
  const request = (count: number, edges: [number, number][], inputs: number[] = [], outputs: number[] = []) => ({ items: items(count), edges, inputs, outputs });
  // 0 → 1 → (2, 3) → 4 → 5
  const diamond = request(6, [[0, 1], [1, 2], [1, 3], [2, 4], [3, 4], [4, 5]], [0], [5]);

  it('end where one edge alone leads on', () => {
    expect(splitBox(diamond).map((piece) => piece.items)).toEqual([[0], [1, 2, 3, 4], [5]]);
    expect(splitBox(diamond).map((piece) => piece.bridge)).toEqual([0, 5, -1]);
    expect(splitBox(diamond)[1].request).toMatchObject({ edges: [[0, 1], [0, 2], [1, 3], [2, 3]], inputs: [0], outputs: [3] });
  });

  it('do not end beside an edge from or to outside, or between items without an edge', () => {
    expect(splitBox(request(2, [[0, 1]], [0, 1]))).toHaveLength(1);
    expect(splitBox(request(2, [[0, 1]], [0], [0, 1]))).toHaveLength(1);
    expect(splitBox(request(2, []))).toHaveLength(1);
  });

  it('do not end above an item that reads nothing, or below one that nothing reads', () => {
    expect(splitBox(request(4, [[0, 1], [1, 2], [3, 2]])).map((piece) => piece.items)).toEqual([[0, 1, 3, 2]]);
    expect(splitBox(request(4, [[0, 1], [0, 3], [1, 2]])).map((piece) => piece.items.length)).toEqual([4]);
  });

  it('are stacked with the same space between all rows, and joined by straight edges', () => {
    const made = layoutBox(diamond);
    const rows = [...new Set(made.items.map(({ y }) => Math.round(y)))].sort((a, b) => a - b);
    expect(rows).toEqual([34, 96, 158, 220, 282]);
    expect(made.height).toBeCloseTo(282 + 28 + 34);
    expect(made.edges).toHaveLength(8);
    for (const edge of [0, 5, 6, 7]) for (const { x } of made.edges[edge]) expect(x).toBeCloseTo(made.width / 2, 0);
    expect(made.edges[0]).toEqual([{ x: made.width / 2, y: 62 }, { x: made.width / 2, y: 96 }]);
  });
});

describe('edges that close a cycle', () => {
  it('are as few as a search from the first item finds', () => {
    expect(findBackEdges(3, [[0, 1], [1, 2], [2, 0], [2, 2], [0, 2]])).toEqual([false, false, true, true, false]);
    expect(findBackEdges(2, [[1, 0]])).toEqual([false]);
  });
});

describe('places at one side of an item', () => {
  it('stay where they are if they are apart', () => {
    expect(spread([0, 20, 50], 0, 60)).toEqual([0, 20, 50]);
  });

  it('are moved apart around their mean, within the side', () => {
    expect(spread([30, 30], 0, 60)).toEqual([24, 36]);
    expect(spread([60, 60, 60], 0, 60)).toEqual([36, 48, 60]);
    expect(spread([5, 5, 5], 0, 10)).toEqual([0, 5, 10]);
  });
});

describe('labels of edges', () => {
  const edge = (x: number, tensors = 2) => ({ from: 'a', to: 'b', tensors, label: '', points: [{ x: 0, y: 0 }, { x, y: 40 }] });

  it('are beside the middle of an edge, and none without text', () => {
    expect(placeLabels([edge(100), edge(0, 1)])).toMatchObject([{ text: '×2', x: 55, y: 24 }]);
  });

  it('are apart from each other', () => {
    const [one, other] = placeLabels([edge(100), edge(100)]);
    expect(Math.abs(one.y - other.y) >= 13 || Math.abs(one.x - other.x) > 12).toBe(true);
  });
});
