// Where edges run: dagre's points, changed so that an edge leaves an item at its lower side, passes rows straight, and ends at
// the upper side of the next item, apart from its other edges.
import type { Point, Size } from './layout';

export type Box = Point & Size;
/** The boxes at the ends of an edge, null outside; and dagre's points between them, from border to border. */
export interface Edge {
  from: Box | null;
  to: Box | null;
  points: Point[];
}

// An edge does not touch the round corner of an item.
const corner = 12;
// Between two edges at one side of an item, if its width allows.
const portGap = 12;

export function routeEdges(boxes: Box[], edges: Edge[]): Point[][] {
  const rows = rowHeights(boxes);
  const bends = edges.map(({ points }) => passRows(points, rows));
  const starts = placePorts(edges.map(({ from, to, points }, i) => portOf(from, to, points[0], bends[i][0])));
  const ends = placePorts(edges.map(({ from, to, points }, i) => portOf(to, from, points[points.length - 1], bends[i][bends[i].length - 1])));
  return edges.map(({ from, to, points }, i) => {
    const [first, last] = [points[0], points[points.length - 1]];
    const start = from ? leaveRow(starts[i], from, rows, 1) : [];
    const end = to ? leaveRow(ends[i], to, rows, -1).reverse() : [];
    const inside = [...start, ...bends[i], ...end];
    // dagre lets edges from and to outside meet in one point. Here, each has its own line.
    if (!from) return [{ x: inside[0].x, y: first.y }, ...inside];
    return to ? inside : [...inside, { x: inside[inside.length - 1].x, y: last.y }];
  });
}

function centreOf(box: Box): Point {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
function middleOf(box: Box): number {
  return Math.round(box.y + box.height / 2);
}

/** The height of each row of items, by the place of its middle. */
function rowHeights(boxes: Box[]): Map<number, number> {
  const rows = new Map<number, number>();
  for (const box of boxes) rows.set(middleOf(box), Math.max(rows.get(middleOf(box)) ?? 0, box.height));
  return rows;
}

/** dagre bends an edge in the middle of each row that it passes, where it would cross the corners of tall items, and between rows,
 * which makes it waver. Here it passes a row straight, and has no other bends. Without the points at its ends. */
function passRows(points: Point[], rows: Map<number, number>): Point[] {
  return points.slice(1, -1).flatMap((point, i) => {
    const height = rows.get(Math.round(point.y));
    if (height === undefined) return [];
    const down = points[i + 2].y >= points[i].y ? 1 : -1;
    return [
      { x: point.x, y: point.y - (down * height) / 2 },
      { x: point.x, y: point.y + (down * height) / 2 },
    ];
  });
}

interface Port {
  box: Box | null;
  near: number; // where dagre ends the edge
  next: number; // where it comes from or goes to
}

/** The end of an edge at `box`; `other` is the box at its other end, and `bend` is the nearest bend. */
function portOf(box: Box | null, other: Box | null, end: Point, bend: Point | undefined): Port {
  if (!box) return { box, near: 0, next: 0 };
  const inset = Math.min(corner, box.width / 2);
  const isStraight = !other && !bend; // to the border of the box around
  const near = isStraight ? centreOf(box).x : Math.min(box.x + box.width - inset, Math.max(box.x + inset, end.x));
  return { box, near, next: (bend ?? centreOf(other ?? box)).x };
}

/** The place of each edge at one side of its item: near dagre's, but apart from the others, in the order in which they arrive. */
function placePorts(ports: Port[]): number[] {
  const sides = new Map<Box, number[]>();
  ports.forEach(({ box }, i) => {
    if (!box) return;
    if (!sides.has(box)) sides.set(box, []);
    sides.get(box)!.push(i);
  });
  const places = ports.map(() => 0);
  for (const [box, side] of sides) {
    side.sort((a, b) => ports[a].near - ports[b].near || ports[a].next - ports[b].next);
    const inset = Math.min(corner, box.width / 2);
    const apart = spread(side.map((i) => ports[i].near), box.x + inset, box.x + box.width - inset);
    side.forEach((port, i) => (places[port] = apart[i]));
  }
  return places;
}

/** Moves ascending places apart, each as little as possible: those that are too near to each other around their mean. */
export function spread(wanted: number[], least: number, most: number): number[] {
  const gap = Math.min(portGap, (most - least) / Math.max(1, wanted.length - 1));
  const groups: { sum: number; count: number }[] = [];
  wanted.forEach((place, i) => {
    let group = { sum: place - i * gap, count: 1 };
    for (let last = groups.at(-1); last && last.sum / last.count > group.sum / group.count; last = groups.at(-1)) {
      group = { sum: group.sum + last.sum, count: group.count + last.count };
      groups.pop();
    }
    groups.push(group);
  });
  const end = most - (wanted.length - 1) * gap;
  return groups.flatMap(({ sum, count }) => Array.from({ length: count }, () => Math.min(end, Math.max(least, sum / count)))).map((place, i) => place + i * gap);
}

/** From a side of an item to the border of its row: -1 is above, 1 below. */
function leaveRow(x: number, box: Box, rows: Map<number, number>, side: -1 | 1): Point[] {
  const middle = box.y + box.height / 2;
  const row = rows.get(middleOf(box)) ?? box.height;
  const [item, border] = [box.height, row].map((height): Point => ({ x, y: middle + (side * height) / 2 }));
  return row > box.height ? [item, border] : [item];
}
