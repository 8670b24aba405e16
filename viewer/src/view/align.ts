// Where the picture beside must be, so that both show the same modules at the same height.
import { isCounted, type Item } from '../data/types';
import type { Placed } from './scene';
import type { Place } from './place';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}
/** Boxes by the name that both pictures have for them. */
export type Anchors = Map<string, Rectangle>;

/** The name by which an item of one picture is found in the other. */
export function keyOf(item: Item): string | null {
  if (!isCounted(item)) return null;
  if (item.kind === 'module') return item.unknown ? '(unknown)' : `.${item.path ?? ''}`;
  return item.kind === 'stack' ? `.${item.path ?? ''}` : null;
}

export function anchorsOf(items: Placed[]): Anchors {
  const anchors: Anchors = new Map();
  for (const placed of items) {
    const key = keyOf(placed.item);
    if (key !== null) anchors.set(key, placed);
  }
  return anchors;
}

/** How far a coordinate is outside of a range. */
function outside(at: number, start: number, size: number): number {
  return at < start ? at - start : at > start + size ? at - start - size : 0;
}

function distance(rectangle: Rectangle, x: number, y: number): number {
  return Math.hypot(outside(x, rectangle.x, rectangle.width), outside(y, rectangle.y, rectangle.height));
}

/** The common box around a point, the smallest one, or else the nearest. */
function nearest(ours: Anchors, theirs: Anchors, x: number, y: number): string | null {
  let best: string | null = null;
  let [least, area] = [Infinity, Infinity];
  for (const [key, rectangle] of ours) {
    if (!theirs.has(key)) continue;
    const far = distance(rectangle, x, y);
    const size = rectangle.width * rectangle.height;
    if (far > least || (far === least && size >= area)) continue;
    [best, least, area] = [key, far, size];
  }
  return best;
}

/** The same place relative to another range: at the same part of it, or as far outside. */
function map(at: number, start: number, size: number, otherStart: number, otherSize: number): number {
  const beyond = outside(at, start, size);
  const part = size === 0 ? 0 : (at - beyond - start) / size;
  return otherStart + part * otherSize + beyond;
}

/** Null if the pictures have no box in common. `wanted` is the box to align, if both have it. */
export function align(place: Place, size: { width: number; height: number }, otherSize: { width: number; height: number }, ours: Anchors, theirs: Anchors, wanted: string | null = null): Place | null {
  const { scale } = place;
  const x = (size.width / 2 - place.x) / scale;
  const y = (size.height / 2 - place.y) / scale;
  const isCommon = wanted !== null && ours.has(wanted) && theirs.has(wanted);
  const key = isCommon ? wanted : nearest(ours, theirs, x, y);
  if (key === null) return null;
  const one = ours.get(key)!;
  const other = theirs.get(key)!;
  return {
    x: otherSize.width / 2 - map(x, one.x, one.width, other.x, other.width) * scale,
    y: otherSize.height / 2 - map(y, one.y, one.height, other.y, other.height) * scale,
    scale,
  };
}
