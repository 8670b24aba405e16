// The fragment of the address restores the view: what is open, selected, coloured, searched, and where.
import type { FlowDirection } from '../data/types';
import { colourModes, type ColourMode } from './colours';

export interface LinkedView {
  open: string[];
  members: [string, string][];
  selected: string | null;
  colour: ColourMode;
  /** What the legend leaves visible: words, or a range from 0 to 1. */
  words: readonly string[] | null;
  numbers: { from: number; to: number } | null;
  constants: boolean;
  search: string;
  flow: FlowDirection | null;
  place: { x: number; y: number; scale: number } | null;
}

const idPattern = /^[a-z][0-9]+(:[0-9]+(-[0-9]+)?)?$/;

export function toFragment(view: LinkedView): string {
  const parts = new URLSearchParams();
  parts.set('open', view.open.join(','));
  if (view.members.length > 0) parts.set('members', view.members.map(([stack, member]) => `${stack}~${member}`).join(','));
  if (view.selected) parts.set('select', view.selected);
  parts.set('colour', view.colour);
  for (const word of view.words ?? []) parts.append('word', word);
  if (view.numbers) parts.set('range', `${view.numbers.from},${view.numbers.to}`);
  if (view.constants) parts.set('constants', '1');
  if (view.search) parts.set('search', view.search);
  if (view.flow) parts.set('flow', view.flow);
  if (view.place) parts.set('at', [view.place.x, view.place.y, view.place.scale].map((one) => Number(one.toPrecision(5))).join(','));
  return parts.toString();
}

function numbersOf(text: string | null): number[] {
  return (text ?? '').split(',').map(Number);
}

/** Null if the fragment is not one of ours. Anything wrong in it is left out. */
export function fromFragment(fragment: string): LinkedView | null {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const open = parts.get('open');
  if (open === null) return null;
  const isId = (text: string | undefined): text is string => text !== undefined && idPattern.test(text);
  const colour = colourModes.find((mode) => mode === parts.get('colour')) ?? 'role';
  const selected = parts.get('select') ?? undefined;
  const at = numbersOf(parts.get('at'));
  const [from, to] = numbersOf(parts.get('range'));
  const words = parts.getAll('word');
  const members = (parts.get('members') ?? '').split(',').map((pair) => pair.split('~'));
  return {
    open: open.split(',').filter(isId),
    members: members.filter((pair): pair is [string, string] => pair.length === 2 && pair.every(isId)),
    selected: isId(selected) ? selected : null,
    colour,
    words: words.length > 0 ? words : null,
    numbers: from >= 0 && from <= to && to <= 1 ? { from, to } : null,
    constants: parts.get('constants') === '1',
    search: parts.get('search') ?? '',
    flow: (['upstream', 'downstream'] as const).find((direction) => direction === parts.get('flow')) ?? null,
    place: at.length === 3 && at.every(Number.isFinite) && at[2] > 0 ? { x: at[0], y: at[1], scale: at[2] } : null,
  };
}
