// Where the labels of edges are: between two rows, because a long edge passes beside other items, and apart from each other.
import type { Point } from '../layout/layout';
import type { PlacedEdge } from './scene';

export interface Label extends Point {
  edge: PlacedEdge;
  text: string;
}

const characterWidth = 6.4;
const height = 13;
// Places on the first and the last segment of an edge, as parts of the segment, in the order in which they are tried.
const places: [isLast: boolean, part: number][] = [[false, 0.5], [true, 0.5], [false, 0.75], [true, 0.25], [true, 0.75], [false, 0.25]];

export function labelText(edge: PlacedEdge): string {
  return edge.tensors > 1 ? `×${edge.tensors}` : edge.label;
}

/** A place at which no earlier label is; the first place if there is none. */
export function placeLabels(edges: PlacedEdge[]): Label[] {
  const made: Label[] = [];
  for (const edge of edges) {
    const text = labelText(edge);
    if (text === '') continue;
    const candidates = places.map(([isLast, part]) => pointAt(edge.points, isLast, part));
    const isFree = (at: Point) => made.every((other) => Math.abs(other.y - at.y) >= height || at.x + text.length * characterWidth <= other.x || other.x + other.text.length * characterWidth <= at.x);
    made.push({ edge, text, ...(candidates.find(isFree) ?? candidates[0]) });
  }
  return made;
}

/** A point on the path that pathOf() draws, and a little to its right. */
function pointAt(points: Point[], isLast: boolean, part: number): Point {
  const [from, to] = isLast ? points.slice(-2) : points; // at least two
  const rest = 1 - part;
  const [first, second, third, fourth] = [rest ** 3, 3 * rest ** 2 * part, 3 * rest * part ** 2, part ** 3];
  const middle = (from.y + to.y) / 2;
  const x = (first + second) * from.x + (third + fourth) * to.x;
  const y = first * from.y + (second + third) * middle + fourth * to.y;
  return { x: x + 5, y: y + 4 };
}
