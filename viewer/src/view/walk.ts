// Which item an arrow key moves to.
import type { Placed, Scene } from './scene';

export type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

function centre(placed: Placed): { x: number; y: number } {
  return { x: placed.x + placed.width / 2, y: placed.y + placed.height / 2 };
}

function nearest(from: Placed, candidates: Placed[]): Placed | null {
  const start = centre(from);
  let best: Placed | null = null;
  let least = Infinity;
  for (const one of candidates) {
    const at = centre(one);
    const distance = Math.hypot(at.x - start.x, at.y - start.y);
    if (distance < least) [best, least] = [one, distance];
  }
  return best;
}

/** Up and down follow edges; left and right go to the next item of the same box beside this one. */
export function walk(scene: Scene, from: string, arrow: Arrow): string | null {
  const placed = scene.items.find((one) => one.item.id === from);
  if (!placed) return scene.items[0]?.item.id ?? null;
  const siblings = scene.items.filter((one) => one.box === placed.box && one !== placed);
  if (arrow === 'ArrowUp' || arrow === 'ArrowDown') {
    const up = arrow === 'ArrowUp';
    const ids = new Set(scene.edges.filter((edge) => (up ? edge.to : edge.from) === from).map((edge) => (up ? edge.from : edge.to)));
    const linked = nearest(placed, siblings.filter((one) => ids.has(one.item.id)));
    if (linked) return linked.item.id;
    return nearest(placed, siblings.filter((one) => (up ? one.y < placed.y : one.y > placed.y)))?.item.id ?? null;
  }
  const start = centre(placed);
  const beside = siblings.filter((one) => (arrow === 'ArrowLeft' ? centre(one).x < start.x - 1 : centre(one).x > start.x + 1));
  const sameRow = beside.filter((one) => Math.abs(centre(one).y - start.y) < (one.height + placed.height) / 2);
  return nearest(placed, sameRow.length > 0 ? sameRow : beside)?.item.id ?? null;
}
