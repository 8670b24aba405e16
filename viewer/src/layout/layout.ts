// The layout of one opened box: dagre places its items in layers from top to bottom.
import * as dagre from '@dagrejs/dagre';
import { findBackEdges } from './cycles';
import { orderRows } from './order';
import { routeEdges } from './route';

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
  const isBack = findBackEdges(request.items.length, request.edges);
  const forward = request.edges.map(([from, to], i): [number, number] => (isBack[i] ? [to, from] : [from, to]));
  const all: [string, string][] = [
    ...forward.map(([from, to]): [string, string] => [String(from), String(to)]),
    ...request.inputs.map((item): [string, string] => ['in', String(item)]),
    ...request.outputs.map((item): [string, string] => [String(item), 'out']),
  ];
  all.forEach(([from, to], i) => graph.setEdge(from, to, { weight: weightOf(from, to) }, String(i)));
  keepApart(graph, { ...request, edges: forward });
  dagre.layout(graph, { customOrder: orderRows });
  const items = request.items.map((size, i) => {
    const at = graph.node(String(i)) as unknown as Point;
    return { x: at.x - size.width / 2, y: at.y - size.height / 2 };
  });
  const boxes = request.items.map((size, i) => ({ ...items[i], ...size }));
  const boxOf = (end: string) => (end === 'in' || end === 'out' ? null : boxes[Number(end)]);
  const edges = all.map(([from, to], i) => ({ from: boxOf(from), to: boxOf(to), points: (graph.edge(from, to, String(i)) as { points: Point[] }).points }));
  const routes = routeEdges(boxes, edges).map((points, i) => (isBack[i] ? points.reverse() : points));
  return shiftToOrigin(request.items, items, routes);
}

/** Edges without weight, which are not drawn: all items are below the point where edges come in, and above that where they leave. */
function keepApart(graph: dagre.graphlib.Graph, { items, edges, inputs, outputs }: LayoutRequest): void {
  const isFed = new Set([...edges.map(([, to]) => to), ...inputs]);
  const isRead = new Set([...edges.map(([from]) => from), ...outputs]);
  items.forEach((_, i) => {
    if (inputs.length > 0 && !isFed.has(i)) graph.setEdge('in', String(i), { weight: 0 }, 'apart');
    if (outputs.length > 0 && !isRead.has(i)) graph.setEdge(String(i), 'out', { weight: 0 }, 'apart');
  });
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
