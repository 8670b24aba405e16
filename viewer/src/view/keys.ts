// What keys do. Arrows walk the graph only while it has the focus, because the tree and lists use them too.
import type { Arrow } from './walk';
import type { Viewer } from './viewer.svelte';

export const keyList: [string, string][] = [
  ['↑ ↓', 'to the item that feeds this one, or that it feeds'],
  ['← →', 'to the item beside this one'],
  ['Enter', 'open or close the box'],
  ['i', 'go into the box'],
  ['Backspace', 'to the box around this item'],
  ['[ ]', 'previous or next layer of a stack'],
  ['/', 'search'],
  ['n p', 'next or previous result'],
  ['u d', 'mark what is upstream or downstream of the node'],
  ['c', 'colour by something else'],
  ['+ - 0', 'larger, smaller, fit the window'],
  ['t', 'dark or light'],
  ['k', 'show or hide constants'],
  ['x', 'close all boxes'],
  ['?', 'this list'],
  ['Esc', 'leave the search field or this list'],
];

export function handleKey(viewer: Viewer, key: string, inGraph: boolean): boolean {
  const item = viewer.selectedItem;
  const actions: Record<string, () => unknown> = {
    n: () => viewer.stepFound(1),
    p: () => viewer.stepFound(-1),
    u: () => viewer.showFlow('upstream'),
    d: () => viewer.showFlow('downstream'),
    c: () => viewer.colours.next(),
    t: () => (viewer.theme = viewer.theme === 'dark' ? 'light' : 'dark'),
    x: () => viewer.closeAll(),
    k: () => viewer.toggleConstants(),
    i: () => viewer.enter(),
    '[': () => item && viewer.step(item, -1),
    ']': () => item && viewer.step(item, 1),
    '+': () => viewer.zoom(1.25),
    '-': () => viewer.zoom(0.8),
    '0': () => viewer.fit(),
  };
  const inGraphOnly: Record<string, () => unknown> = {
    Enter: () => item && viewer.toggle(item),
    Backspace: () => viewer.leave(),
  };
  for (const arrow of ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'] as Arrow[]) inGraphOnly[arrow] = () => viewer.walk(arrow);
  const action = (Object.hasOwn(actions, key) && actions[key]) || (inGraph && Object.hasOwn(inGraphOnly, key) && inGraphOnly[key]);
  if (!action) return false;
  void action();
  return true;
}
