// Where the picture is: the place of its origin in the window, and its scale.
import type { Placed, Scene } from './scene';

export interface Place {
  x: number;
  y: number;
  scale: number;
}
interface Window {
  width: number;
  height: number;
}

const minFitScale = 0.45;
const margin = 24;
const minScale = 0.02;
const maxScale = 4;
// A smaller picture is enlarged to show a node that was looked for.
const minRevealScale = 0.5;
const revealScale = 0.8;

/** The whole picture; a large one starts at its top, where it is readable, without an empty side. */
export function fitPlace(scene: Scene, { width, height }: Window, most = 1.25): Place {
  const scale = Math.max(Math.min((width - 2 * margin) / scene.width, (height - 2 * margin) / scene.height, most), minFitScale);
  const top = scene.items.reduce((first, one) => (one.depth === 0 && one.y < first.y ? one : first));
  const spare = width - scene.width * scale;
  return {
    x: spare > 0 ? spare / 2 : Math.min(margin, Math.max(spare - margin, width / 2 - (top.x + top.width / 2) * scale)),
    y: scene.height * scale > height ? margin : (height - scene.height * scale) / 2,
    scale,
  };
}

/** Larger or smaller, around a point of the window. */
export function zoomPlace(place: Place, factor: number, x: number, y: number): Place {
  const scale = Math.min(maxScale, Math.max(minScale, place.scale * factor));
  const ratio = scale / place.scale;
  return { x: x - (x - place.x) * ratio, y: y - (y - place.y) * ratio, scale };
}

/** Moves the picture only if the item is outside of the window. */
export function revealPlace(place: Place, { width, height }: Window, item: Placed): Place {
  const scale = place.scale < minRevealScale ? revealScale : place.scale;
  const header = Math.min(item.height, 40);
  const left = item.x * scale + place.x;
  const top = item.y * scale + place.y;
  const inside = left > 20 && top > 20 && left + item.width * scale < width - 20 && top + header * scale < height - 20;
  if (inside && scale === place.scale) return place;
  return { x: width / 2 - (item.x + item.width / 2) * scale, y: height / 3 - (item.y + header / 2) * scale, scale };
}
