// The scene: every visible box, item and edge with its place, made from the inside out from the layouts of the opened
// boxes.
import type { CountedItem, Edge, End, Item, Picture } from '../data/types';
import { isCounted } from '../data/types';
import type { LayoutRequest, LayoutResult, Point, Size } from '../layout/layout';
import { changesText, counted, cut, driftText, short, shortClass, timeText } from './text';

export interface Placed extends Point, Size {
  item: Item;
  box: string; // the box around it
  depth: number;
  open: boolean;
  lines: string[]; // of its label
}
export interface PlacedEdge {
  from: string | null; // null: comes from outside of the box
  to: string | null;
  points: Point[];
  tensors: number;
  label: string;
}
export interface Scene extends Size {
  items: Placed[];
  edges: PlacedEdge[];
}

/** What is open: boxes and stacks, and for each stack the member to show. */
export interface Openings {
  open: ReadonlySet<string>;
  members: ReadonlyMap<string, string>;
  constants?: boolean; // whether Constant nodes are drawn
}

export const headerHeight = 32;
const padding = 18;
// Average widths of a character: operators, names of boxes, and what is below them.
const characterWidth = 7.1;
const nameWidth = 8.2;
const smallWidth = 6.4;
const maxLabel = 32;

/** The box that an opened item shows. */
export function contentOf(item: Item, openings: Openings): string {
  return item.kind === 'stack' ? (openings.members.get(item.id) ?? item.members[0]) : item.id;
}

// What an item without a difference from the other model does not have: a sign before its operator.
const signs: Record<string, string> = { added: '+', removed: '−', fused: '∪', split: '÷', moved: '→' };
function signOf(item: CountedItem): string {
  const kinds = Object.keys(item.changes ?? {});
  return kinds.length === 0 ? '' : `${signs[kinds[0]] ?? '≠'} `;
}

function amounts(item: CountedItem): string {
  const nodes = counted(item.nodes, 'node');
  return item.parameters > 0 ? `${nodes} · ${short(item.parameters)} params` : nodes;
}

export function typeOf(item: Item): string {
  return isCounted(item) ? cut(shortClass(item.class), maxLabel) : '';
}

export function labelOf(item: Item): string[] {
  if (!isCounted(item)) return [cut(item.name, maxLabel)];
  if (item.kind === 'node') return [cut(signOf(item) + (item.op || '(no operator)'), maxLabel)];
  const name = item.kind === 'chunk' ? `Items ${item.name}` : item.name;
  const lines = [cut(name, maxLabel)];
  const type = typeOf(item);
  if (type) lines.push(type);
  lines.push(amounts(item));
  if (item.time_us !== undefined) lines.push(timeText(item.time_us));
  if (item.drift !== undefined) lines.push(`drift ${driftText(item.drift)}`);
  if (item.changed) lines.push(cut(changesText(item.changes ?? {}), maxLabel));
  return lines;
}

export function sizeOf(item: Item, lines: string[]): Size {
  const longest = Math.max(...lines.map((line) => line.length));
  if (!isCounted(item) || item.kind === 'node') return { width: Math.max(56, longest * characterWidth + 24), height: 28 };
  const badge = item.kind === 'stack' ? 56 : 28; // the number of layers, and the button
  const widths = lines.map((line, i) => (i === 0 ? line.length * nameWidth + badge : line.length * smallWidth));
  return { width: Math.max(110, Math.max(...widths) + 24), height: 20 + lines.length * 16 + 6 };
}

/** The width of the header of an open box: its buttons, its name and its class. */
function headerWidth(item: Item, name: string): number {
  const type = typeOf(item);
  return 34 + name.length * nameWidth + 8 + type.length * characterWidth + (item.kind === 'stack' ? 126 : 18);
}

interface Laid extends Size {
  picture: Picture;
  layout: LayoutResult;
  labels: string[][];
  sizes: Size[];
  inside: (Laid | null)[];
  above: number; // space between the header and the layout
}

export interface SceneSource {
  open(box: string): Promise<Picture>;
  layout(request: LayoutRequest): Promise<LayoutResult>;
}

/** Nodes that only hold a number are noise in most pictures. */
export function withoutConstants(picture: Picture): Picture {
  const numbers = new Map<number, number>();
  const items = picture.items.filter((item, i) => {
    const shown = item.kind !== 'node' || item.op !== 'Constant';
    if (shown) numbers.set(i, numbers.size);
    return shown;
  });
  if (items.length === picture.items.length) return picture;
  const end = ([item, tensors]: End): End[] => (numbers.has(item) ? [[numbers.get(item)!, tensors]] : []);
  return {
    id: picture.id,
    items,
    edges: picture.edges.flatMap(([from, to, ...more]): Edge[] =>
      numbers.has(from) && numbers.has(to) ? [[numbers.get(from)!, numbers.get(to)!, ...more]] : [],
    ),
    inputs: picture.inputs.flatMap(end),
    outputs: picture.outputs.flatMap(end),
  };
}

async function layBox(source: SceneSource, box: string, openings: Openings): Promise<Laid> {
  const whole = await source.open(box);
  const picture = openings.constants ? whole : withoutConstants(whole);
  const inside = await Promise.all(
    picture.items.map((item) => (openings.open.has(item.id) ? layBox(source, contentOf(item, openings), openings) : null)),
  );
  const labels = picture.items.map(labelOf);
  const sizes = picture.items.map((item, i) => {
    const closed = sizeOf(item, labels[i]);
    const one = inside[i];
    return one ? { width: Math.max(one.width, headerWidth(item, labels[i][0])), height: one.height } : closed;
  });
  const layout = await source.layout({
    items: sizes,
    edges: picture.edges.map(([from, to]) => [from, to]),
    inputs: picture.inputs.map(([item]) => item),
    outputs: picture.outputs.map(([item]) => item),
  });
  const { above, below } = margins(layout, sizes);
  return {
    picture,
    layout,
    labels,
    sizes,
    inside,
    above,
    width: layout.width + 2 * padding,
    height: layout.height + headerHeight + above + below,
  };
}

/** Space around the layout of a box. Edges from and to outside reach its border; items do not. */
function margins(layout: LayoutResult, sizes: Size[]): { above: number; below: number } {
  const first = Math.min(...layout.items.map((at) => at.y));
  const last = Math.max(...layout.items.map((at, i) => at.y + sizes[i].height));
  return { above: Math.max(0, padding - first), below: Math.max(0, padding - (layout.height - last)) };
}

function placeBox(laid: Laid, left: number, top: number, depth: number, scene: Scene): void {
  const { picture, layout } = laid;
  const move = (point: Point) => ({ x: point.x + left, y: point.y + top });
  picture.items.forEach((item, i) => {
    const at = move(layout.items[i]);
    const one = laid.inside[i];
    scene.items.push({ item, box: picture.id, depth, open: one !== null, lines: laid.labels[i], ...at, ...laid.sizes[i] });
    if (!one) return;
    const spare = (laid.sizes[i].width - one.width) / 2;
    placeBox(one, at.x + padding + spare, at.y + headerHeight + one.above, depth + 1, scene);
  });
  const id = (i: number) => picture.items[i].id;
  let next = 0;
  const add = (edge: Omit<PlacedEdge, 'points'>) => scene.edges.push({ ...edge, points: layout.edges[next++].map(move) });
  for (const [from, to, tensors, label] of picture.edges) add({ from: id(from), to: id(to), tensors, label });
  for (const [to, tensors] of picture.inputs) add({ from: null, to: id(to), tensors, label: '' });
  for (const [from, tensors] of picture.outputs) add({ from: id(from), to: null, tensors, label: '' });
}

export async function buildScene(source: SceneSource, openings: Openings): Promise<Scene> {
  const laid = await layBox(source, 'm0', openings);
  const scene: Scene = { items: [], edges: [], width: laid.layout.width, height: laid.layout.height };
  placeBox(laid, 0, 0, 0, scene);
  return scene;
}

/** A path through the points of an edge, which goes straight up or down at each of them. */
export function pathOf(points: Point[]): string {
  const at = ({ x, y }: Point) => `${x.toFixed(1)},${y.toFixed(1)}`;
  let path = `M${at(points[0])}`;
  for (let i = 1; i < points.length; ++i) {
    const [from, to] = [points[i - 1], points[i]];
    const y = (from.y + to.y) / 2;
    path += from.x === to.x ? `L${at(to)}` : `C${at({ x: from.x, y })} ${at({ x: to.x, y })} ${at(to)}`;
  }
  return path;
}
