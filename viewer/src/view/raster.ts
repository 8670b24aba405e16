// The picture is painted once, a little larger than the window, and then moved as a whole: the browser moves a painted
// layer in no time, while painting thousands of shapes takes many frames. It is painted again at the new size when the
// movement has ended, or when the window leaves the painted part.
import type { Place } from './place';

/** A part of the picture, in its own coordinates. */
export interface Part {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
export interface Painted extends Part {
  scale: number;
}

// A layer that is enlarged or reduced by more than this is painted again at once.
const maxStretch = 2.5;

function windowOf({ x, y, scale }: Place, { width, height }: { width: number; height: number }): Part {
  return { left: -x / scale, top: -y / scale, right: (width - x) / scale, bottom: (height - y) / scale };
}

/** The part to paint: the window, and as much on each side. */
export function paintAround(place: Place, size: { width: number; height: number }): Painted {
  const { left, top, right, bottom } = windowOf(place, size);
  const [w, h] = [right - left, bottom - top];
  return { left: left - w, top: top - h, right: right + w, bottom: bottom + h, scale: place.scale };
}

/** Whether the layer can still be moved to this place. */
export function isPaintedAt(painted: Painted, place: Place, size: { width: number; height: number }): boolean {
  const { left, top, right, bottom } = windowOf(place, size);
  const stretch = place.scale / painted.scale;
  return left >= painted.left && top >= painted.top && right <= painted.right && bottom <= painted.bottom && stretch <= maxStretch && stretch >= 1 / maxStretch;
}

/** The movement of the painted layer. Whole pixels, because text between pixels is blurred. */
export function movement(painted: Painted, place: Place): string {
  const x = Math.round(place.x + painted.left * place.scale);
  const y = Math.round(place.y + painted.top * place.scale);
  return `translate(${x}px, ${y}px) scale(${place.scale / painted.scale})`;
}
