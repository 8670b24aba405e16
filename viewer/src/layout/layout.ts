// The layout of one opened box: dagre places its items in layers from top to bottom.
import * as dagre from '@dagrejs/dagre';
import { findBackEdges } from './cycles';
import { orderRows } from './order';
import { splitBox, stackPieces } from './pieces';
import { routeEdges, type Box } from './route';

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

const rowGap = 34; // between two rows of items

// The exact ranker of dagre takes quadratic time; a box with more items gets the linear one.
const maxExactItems = 150;

// An item stands near what reads it, but an item that reads from outside is at the top rather than a line that leads far down to it:
// projections of one tensor are then in one row. An edge to outside becomes longer before others do.
function weightOf(from: string, to: string): number {
  return from === 'in' ? 3 : to === 'out' ? 1 : 2;
}

export function layoutBox(request: LayoutRequest): LayoutResult {
  const isBack = findBackEdges(request.items.length, request.edges);
  const forward = { ...request, edges: request.edges.map(([from, to], i): [number, number] => (isBack[i] ? [to, from] : [from, to])) };
  const pieces = splitBox(forward);
  const made = pieces.length < 2 ? layoutPiece(forward) : stackPieces(pieces, pieces.map((piece) => layoutPiece(piece.request)), rowGap);
  return { ...made, edges: made.edges.map((points, i) => (isBack[i] ? points.reverse() : points)) };
}

function layoutPiece(request: LayoutRequest): LayoutResult {
  return request.items.length === 1 && request.edges.length === 0 ? layoutOne(request) : layoutByDagre(request);
}

/** An item alone in its piece, with straight edges from and to outside. */
function layoutOne({ items: [size], inputs, outputs }: LayoutRequest): LayoutResult {
  const [x, y] = [size.width / 2, inputs.length > 0 ? rowGap : 0];
  const bottom = y + size.height;
  const height = outputs.length > 0 ? bottom + rowGap : bottom;
  const line = (from: number, to: number) => [from, to].map((end): Point => ({ x, y: end }));
  return { width: size.width, height, items: [{ x: 0, y }], edges: [...inputs.map(() => line(0, y)), ...outputs.map(() => line(bottom, height))] };
}

function layoutByDagre(request: LayoutRequest): LayoutResult {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 22,
    ranksep: rowGap,
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
  keepApart(graph, request);
  dagre.layout(graph, { customOrder: orderRows });
  const boxes = request.items.map((size, i) => {
    const at = graph.node(String(i)) as unknown as Point;
    return { x: at.x - size.width / 2, y: at.y - size.height / 2, ...size };
  });
  const boxOf = (end: string) => (end === 'in' || end === 'out' ? null : boxes[Number(end)]);
  const edges = all.map(([from, to], i) => ({ from: boxOf(from), to: boxOf(to), points: (graph.edge(from, to, String(i)) as { points: Point[] }).points }));
  return shiftToOrigin(boxes, routeEdges(boxes, edges));
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

function shiftToOrigin(boxes: Box[], edges: Point[][]): LayoutResult {
  const corners = boxes.flatMap(({ x, y, width, height }) => [{ x, y }, { x: x + width, y: y + height }]);
  if (corners.length === 0) return { width: 0, height: 0, items: [], edges };
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const points of [corners, ...edges])
    for (const { x, y } of points) {
      left = Math.min(left, x);
      top = Math.min(top, y);
      right = Math.max(right, x);
      bottom = Math.max(bottom, y);
    }
  const move = ({ x, y }: Point): Point => ({ x: x - left, y: y - top });
  return { width: right - left, height: bottom - top, items: boxes.map(move), edges: edges.map((points) => points.map(move)) };
}
