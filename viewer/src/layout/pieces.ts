// Pieces of a box: where one edge alone leads from all earlier items to all later ones, as in a chain, the box is cut. Pieces are laid
// out one by one, which takes much less time than all at once, and are stacked.
import type { LayoutRequest, LayoutResult, Point } from './layout';

/** A part of a request, with the numbers that its items and edges have there. */
export interface Piece {
  request: LayoutRequest;
  items: number[];
  edges: number[];
  /** The edge that leads to the next piece; -1 if there is none. */
  bridge: number;
}

/** The pieces of a request without cycles, from top to bottom. */
export function splitBox(request: LayoutRequest): Piece[] {
  const order = sortItems(request);
  const place = new Int32Array(request.items.length);
  order.forEach((item, i) => (place[item] = i));
  const bridges = findBridges(request, place);
  const pieceOf = new Int32Array(order.length);
  const local = new Int32Array(order.length);
  const pieces: Piece[] = [newPiece()];
  order.forEach((item, i) => {
    if (i > 0 && bridges.has(i - 1)) pieces.push(newPiece());
    const piece = pieces[pieces.length - 1];
    if (bridges.has(i)) piece.bridge = bridges.get(i)!;
    pieceOf[item] = pieces.length - 1;
    local[item] = piece.items.push(item) - 1;
    piece.request.items.push(request.items[item]);
  });
  request.edges.forEach(([from, to], edge) => {
    const piece = pieces[pieceOf[from]];
    if (piece.bridge === edge) {
      piece.request.outputs.push(local[from]);
      pieces[pieceOf[to]].request.inputs.push(local[to]);
    } else {
      piece.edges.push(edge);
      piece.request.edges.push([local[from], local[to]]);
    }
  });
  for (const item of request.inputs) pieces[pieceOf[item]].request.inputs.push(local[item]);
  for (const item of request.outputs) pieces[pieceOf[item]].request.outputs.push(local[item]);
  return pieces;
}

function newPiece(): Piece {
  return { request: { items: [], edges: [], inputs: [], outputs: [] }, items: [], edges: [], bridge: -1 };
}

/** Each item after all that it reads, and these as late as possible. */
function sortItems({ items, edges }: LayoutRequest): number[] {
  const read: number[][] = items.map(() => []);
  for (const [from, to] of edges) read[to].push(from);
  const [order, next, isSeen] = [[] as number[], new Int32Array(items.length), new Uint8Array(items.length)];
  items.forEach((_, start) => {
    const path = isSeen[start] ? [] : [start];
    while (path.length > 0) {
      const item = path[path.length - 1];
      isSeen[item] = 1;
      const input = read[item][next[item]++];
      if (input === undefined) order.push(path.pop()!);
      else if (!isSeen[input]) path.push(input);
    }
  });
  return order;
}

/** For places after which a single edge leads on: this edge. */
function findBridges({ items, edges, inputs, outputs }: LayoutRequest, place: Int32Array): Map<number, number> {
  // How many edges lead past each place, and the sum of their numbers, as differences to the place before.
  const [counts, sums] = [new Float64Array(items.length + 1), new Float64Array(items.length + 1)];
  const add = (start: number, end: number, edge: number) => {
    counts[start] += 1;
    counts[end] -= 1;
    sums[start] += edge;
    sums[end] -= edge;
  };
  edges.forEach(([from, to], edge) => add(place[from], place[to], edge));
  // Edges from and to outside count twice: none of them is a bridge. Nor is a box cut above an item that reads nothing, or below
  // one that nothing reads: beside the others, it needs less space.
  const [reads, isRead] = [new Set(edges.map(([, to]) => to)), new Set(edges.map(([from]) => from))];
  const first = items.flatMap((_, item) => (reads.has(item) ? [] : [item]));
  const last = items.flatMap((_, item) => (isRead.has(item) ? [] : [item]));
  for (const item of [...first, ...first, ...inputs, ...inputs]) add(0, place[item], 0);
  for (const item of [...last, ...last, ...outputs, ...outputs]) add(place[item], items.length, 0);
  const bridges = new Map<number, number>();
  let [count, sum] = [0, 0];
  for (let i = 0; i + 1 < items.length; ++i) {
    count += counts[i];
    sum += sums[i];
    if (count === 1) bridges.set(i, sum);
  }
  return bridges;
}

/** Stacks pieces so that the bridges between them are straight if the stack does not become wider by that. */
export function stackPieces(pieces: Piece[], laid: LayoutResult[], gap: number): LayoutResult {
  const width = Math.max(...laid.map((one) => one.width));
  const [items, edges]: [Point[], Point[][]] = [[], []];
  let inputs: Point[][] = [];
  let outputs: Point[][] = [];
  let [x, bottom] = [0, 0]; // where the bridge leaves the piece above, and the lower side of the items there
  let bridge: Point[] = []; // inside the piece above
  pieces.forEach((piece, i) => {
    const { layout, isFirst, isLast } = { layout: laid[i], isFirst: i === 0, isLast: i + 1 === pieces.length };
    const [enters, leaves] = [piece.edges.length, piece.edges.length + piece.request.inputs.length];
    const left = isFirst ? (width - layout.width) / 2 : Math.min(width - layout.width, Math.max(0, x - layout.edges[enters][0].x));
    const top = isFirst ? 0 : bottom + gap - Math.min(...layout.items.map((at) => at.y));
    const move = (point: Point) => ({ x: point.x + left, y: point.y + top });
    const routes = layout.edges.map((points) => points.map(move));
    piece.items.forEach((item, k) => (items[item] = move(layout.items[k])));
    piece.edges.forEach((edge, k) => (edges[edge] = routes[k]));
    if (isFirst) inputs = routes.slice(enters, leaves);
    else edges[pieces[i - 1].bridge] = [...bridge, ...routes[enters].slice(1)];
    bottom = isLast ? top + layout.height : Math.max(...piece.items.map((item, k) => items[item].y + piece.request.items[k].height));
    if (isLast) outputs = routes.slice(leaves);
    else [bridge, x] = [routes[leaves].slice(0, -1), routes[leaves][routes[leaves].length - 1].x];
  });
  return { width, height: bottom, items, edges: [...edges, ...inputs, ...outputs] };
}
