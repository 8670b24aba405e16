// The layout of one opened box: dagre places its items in layers from top to bottom.
import * as dagre from '@dagrejs/dagre';
import { orderRows } from './order';

export interface Size {
  width: number;
  height: number;
}
export interface Point {
  x: number;
  y: number;
}
export interface LayoutRequest {
  items: Size[];
  /** [from, to] */
  edges: [number, number][];
  /** Items that read from outside, and items whose results are read outside. */
  inputs: number[];
  outputs: number[];
}
export interface LayoutResult extends Size {
  /** Top left corners. */
  items: Point[];
  /** Points of each edge, in the order of the request: edges, then inputs, then outputs. */
  edges: Point[][];
}

// The exact ranker of dagre takes quadratic time; a box with more items gets the linear one.
const maxExactItems = 150;

// An item stands near what reads it, but an item that reads from outside is at the top rather than a line that leads far down to it:
// projections of one tensor are then in one row. An edge to outside becomes longer before others do.
function weightOf(from: string, to: string): number {
  return from === 'in' ? 3 : to === 'out' ? 1 : 2;
}

export function layoutBox(request: LayoutRequest): LayoutResult {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 22,
    ranksep: 34,
    edgesep: 10,
    ranker: request.items.length > maxExactItems ? 'longest-path' : 'network-simplex',
  });
  graph.setDefaultEdgeLabel(() => ({}));
  request.items.forEach((size, i) => graph.setNode(String(i), { ...size }));
  const ends = { width: 8, height: 1 };
  if (request.inputs.length > 0) graph.setNode('in', { ...ends });
  if (request.outputs.length > 0) graph.setNode('out', { ...ends });
  const all: [string, string][] = [
    ...request.edges.map(([from, to]): [string, string] => [String(from), String(to)]),
    ...request.inputs.map((item): [string, string] => ['in', String(item)]),
    ...request.outputs.map((item): [string, string] => [String(item), 'out']),
  ];
  all.forEach(([from, to], i) => graph.setEdge(from, to, { weight: weightOf(from, to) }, String(i)));
  dagre.layout(graph, { customOrder: orderRows });
  const items = request.items.map((size, i) => {
    const at = graph.node(String(i)) as unknown as Point;
    return { x: at.x - size.width / 2, y: at.y - size.height / 2 };
  });
  const rows = rowHeights(request.items, items);
  const boxOf = (end: string): Box | null => {
    if (end === 'in' || end === 'out') return null;
    const box = { ...items[Number(end)], ...request.items[Number(end)] };
    return { ...box, row: rows.get(middleOf(box)) ?? box.height };
  };
  const edges = all.map(([from, to], i) => attach(passRows((graph.edge(from, to, String(i)) as { points: Point[] }).points, rows), boxOf(from), boxOf(to)));
  return shiftToOrigin(request.items, items, edges);
}

/** The height of each row of items, by the place of its middle. */
function rowHeights(sizes: Size[], items: Point[]): Map<number, number> {
  const rows = new Map<number, number>();
  items.forEach((at, i) => {
    const middle = middleOf({ ...at, ...sizes[i] });
    rows.set(middle, Math.max(rows.get(middle) ?? 0, sizes[i].height));
  });
  return rows;
}

/** dagre bends an edge in the middle of each row that it passes, where it would cross the corners of tall items, and between rows,
 * which makes it waver. Here it passes a row straight, and has no other bends. */
function passRows(points: Point[], rows: Map<number, number>): Point[] {
  return points.flatMap((point, i) => {
    if (i === 0 || i === points.length - 1) return [point];
    const height = rows.get(Math.round(point.y));
    if (height === undefined) return [];
    const down = points[i + 1].y >= points[i - 1].y ? 1 : -1;
    return [
      { x: point.x, y: point.y - (down * height) / 2 },
      { x: point.x, y: point.y + (down * height) / 2 },
    ];
  });
}

interface Box extends Point, Size {
  row: number; // the height of its row
}

function middleOf(box: Point & Size): number {
  return Math.round(box.y + box.height / 2);
}

// An edge does not touch the round corner of an item.
const corner = 12;

/** From a side of an item to the border of its row: -1 is above, 1 below. It begins near `point`. */
function leaveRow(point: Point, box: Box, side: -1 | 1): Point[] {
  const inset = Math.min(corner, box.width / 2);
  const x = Math.min(box.x + box.width - inset, Math.max(box.x + inset, point.x));
  const middle = box.y + box.height / 2;
  const [item, row] = [box.height, box.row].map((height): Point => ({ x, y: middle + (side * height) / 2 }));
  return box.row > box.height ? [item, row] : [item];
}

/** dagre ends edges where they meet an item, also at its left or right, and lets those from and to outside meet in one
 * point. Here an edge goes from the lower side of an item to the upper side of the next; outside, each has its own line. */
function attach(points: Point[], from: Box | null, to: Box | null): Point[] {
  const [first, last] = [points[0], points[points.length - 1]];
  if (last.y < first.y) return points; // against the direction: part of a cycle
  const between = points.slice(1, -1);
  const centre = (box: Box) => ({ x: box.x + box.width / 2, y: 0 });
  const isShort = between.length === 0;
  const start = from ? leaveRow(isShort && !to ? centre(from) : first, from, 1) : [];
  const end = to ? leaveRow(isShort && !from ? centre(to) : last, to, -1).reverse() : [];
  const inside = [...start, ...between, ...end];
  if (!from) return [{ x: inside[0].x, y: first.y }, ...inside];
  return to ? inside : [...inside, { x: inside[inside.length - 1].x, y: last.y }];
}

function shiftToOrigin(sizes: Size[], items: Point[], edges: Point[][]): LayoutResult {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  items.forEach((at, i) => {
    left = Math.min(left, at.x);
    top = Math.min(top, at.y);
    right = Math.max(right, at.x + sizes[i].width);
    bottom = Math.max(bottom, at.y + sizes[i].height);
  });
  for (const points of edges)
    for (const point of points) {
      left = Math.min(left, point.x);
      top = Math.min(top, point.y);
      right = Math.max(right, point.x);
      bottom = Math.max(bottom, point.y);
    }
  if (items.length === 0) return { width: 0, height: 0, items, edges };
  const move = (point: Point) => ({ x: point.x - left, y: point.y - top });
  return { width: right - left, height: bottom - top, items: items.map(move), edges: edges.map((points) => points.map(move)) };
}
