// The fragment of the address restores the view: what is open, selected, coloured, searched, and where.
import { colourModes, type ColourMode } from './colours';

export interface LinkedView {
  open: string[];
  members: [string, string][];
  selected: string | null;
  colour: ColourMode;
  constants: boolean;
  search: string;
  place: { x: number; y: number; scale: number } | null;
}

const idPattern = /^[a-z][0-9]+(:[0-9]+(-[0-9]+)?)?$/;

export function toFragment(view: LinkedView): string {
  const parts = new URLSearchParams();
  parts.set('open', view.open.join(','));
  if (view.members.length > 0) parts.set('members', view.members.map(([stack, member]) => `${stack}~${member}`).join(','));
  if (view.selected) parts.set('select', view.selected);
  parts.set('colour', view.colour);
  if (view.constants) parts.set('constants', '1');
  if (view.search) parts.set('search', view.search);
  if (view.place) parts.set('at', [view.place.x, view.place.y, view.place.scale].map((one) => Number(one.toPrecision(5))).join(','));
  return parts.toString();
}

/** Null if the fragment is not one of ours. Anything wrong in it is left out. */
export function fromFragment(fragment: string): LinkedView | null {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const open = parts.get('open');
  if (open === null) return null;
  const isId = (text: string | undefined): text is string => text !== undefined && idPattern.test(text);
  const colour = colourModes.find((mode) => mode === parts.get('colour')) ?? 'role';
  const selected = parts.get('select') ?? undefined;
  const at = (parts.get('at') ?? '').split(',').map(Number);
  const members = (parts.get('members') ?? '').split(',').map((pair) => pair.split('~'));
  return {
    open: open.split(',').filter(isId),
    members: members.filter((pair): pair is [string, string] => pair.length === 2 && pair.every(isId)),
    selected: isId(selected) ? selected : null,
    colour,
    constants: parts.get('constants') === '1',
    search: parts.get('search') ?? '',
    place: at.length === 3 && at.every(Number.isFinite) && at[2] > 0 ? { x: at[0], y: at[1], scale: at[2] } : null,
  };
}
