import { describe, expect, it } from 'vitest';
import { EmbeddedSource, invertLinks, type ModelData } from '../src/data/embedded';
import type { Model, NodeItem } from '../src/data/types';
import { align, type Anchors } from '../src/view/align';
import { firstMode, modesOf, noColour, scaled, valueAt, WordColours, wordOf } from '../src/view/colours';
import { Colours } from '../src/view/colours.svelte';
import { fitPlace } from '../src/view/place';
import { isPaintedAt, movement, paintAround } from '../src/view/raster';
import { labelOf, type Scene } from '../src/view/scene';
import { changesText, timeText } from '../src/view/text';

const size = { width: 400, height: 200 };
const counts = { nodes: 1, parameters: 0, bytes: 0, flops: 0, confidence: 1, levels: [1, 0, 0, 0] as [number, number, number, number], sources: {}, ranges: [] };
const fused: NodeItem = { ...counts, kind: 'node', id: 'n1', name: 'n', op: 'Gelu', changed: 1, changes: { fused: 1 } };

describe('two pictures move together', () => {
  const ours: Anchors = new Map([
    ['.a', { x: 0, y: 0, width: 100, height: 100 }],
    ['.a.b', { x: 10, y: 50, width: 50, height: 40 }],
  ]);
  const theirs: Anchors = new Map([['.a', { x: 500, y: 0, width: 100, height: 200 }]]);
  const centredAt = (x: number, y: number, scale = 1) => ({ x: size.width / 2 - x * scale, y: size.height / 2 - y * scale, scale });

  it('shows the same part of a common box in the middle', () => {
    expect(align(centredAt(50, 50), size, size, ours, theirs)).toEqual(centredAt(550, 100));
    expect(align(centredAt(25, 75, 2), size, size, ours, theirs)).toEqual(centredAt(525, 150, 2));
  });
  it('keeps the distance from a box that it has left', () => {
    expect(align(centredAt(50, 130), size, size, ours, theirs)).toEqual(centredAt(550, 230));
  });
  it('prefers the innermost common box', () => {
    const both: Anchors = new Map([...theirs, ['.a.b', { x: 0, y: 1000, width: 50, height: 40 }]]);
    expect(align(centredAt(35, 70), size, size, ours, both)).toEqual(centredAt(25, 1020));
  });
  it('does not move if nothing is common', () => expect(align(centredAt(0, 0), size, size, ours, new Map())).toBeNull());
});

describe('a picture that is too wide', () => {
  const scene = (x: number): Scene => ({ width: 2000, height: 100, edges: [], items: [{ item: fused, box: 'm0', depth: 0, open: false, lines: [], x, y: 0, width: 50, height: 28 }] });
  it('shows its first item in the middle, and fills the window', () => {
    const { scale } = fitPlace(scene(1000), size);
    expect(fitPlace(scene(1000), size).x).toBeCloseTo(size.width / 2 - 1025 * scale);
    expect(fitPlace(scene(0), size).x).toBe(24);
    expect(fitPlace(scene(1950), size).x).toBe(size.width - 24 - 2000 * scale);
  });
});

describe('a painted layer', () => {
  const place = { x: 30, y: -40, scale: 0.5 };
  const painted = paintAround(place, size);
  it('is moved while the window stays in it', () => {
    expect(isPaintedAt(painted, { ...place, x: place.x + size.width - 1 }, size)).toBe(true);
    expect(isPaintedAt(painted, { ...place, x: place.x + size.width + 1 }, size)).toBe(false);
  });
  it('is painted again when it would be stretched much', () => {
    expect(isPaintedAt(painted, { x: 100, y: 0, scale: 1 }, size)).toBe(true);
    expect(isPaintedAt(painted, { x: 100, y: 0, scale: 1.5 }, size)).toBe(false);
  });
  it('is at the place of the picture', () => expect(movement(painted, place)).toBe('translate(-400px, -200px) scale(1)'));
});

describe('overlays', () => {
  const model = (overlays: Model['overlays']) => ({ overlays }) as Model;
  it('offer their colours', () => {
    expect(modesOf(model({}))).not.toContain('time');
    expect(modesOf(model({ comparison: { with: 'diff', side: 'before' } }))).toContain('change');
    expect(firstMode(model({}))).toBe('role');
    expect(firstMode(model({ comparison: { with: 'ancestor', side: 'after' } }))).toBe('change');
  });
  it('mark the nodes that differ', () => {
    expect(wordOf(fused, 'change')).toBe('fused');
    expect(wordOf({ ...fused, changes: {} }, 'change')).toBe('same');
    expect(labelOf(fused)).toEqual(['∪ Gelu']);
    expect(changesText({ added: 1, fused: 3 })).toBe('3 fused, 1 added');
  });
  it('give a kind of difference always the same colour', () => {
    const [one, other] = [new WordColours(), new WordColours()];
    other.count('change', ['removed']);
    expect(one.of('change', 'added', 'light')).toBe(other.of('change', 'added', 'light'));
    expect(one.of('change', 'added', 'light')).not.toBe(one.of('change', 'removed', 'light'));
  });
  it('have scales that can be inverted', () => {
    for (const mode of ['time', 'drift', 'bytes'] as const) for (const value of [1e-4, 0.01, 0.5]) expect(valueAt(scaled(value, 2, mode), 2, mode)).toBeCloseTo(value, 6);
  });
  it('leave what was not measured without a colour, and out of the range of a filter', () => {
    const measured = { ...fused, drift: 0.5 };
    const shown = { model: { root: fused } as unknown as Model, theme: 'light' as const, visible: [fused, measured] };
    const colours = new Colours(shown, new WordColours());
    colours.mode = 'drift';
    expect(colours.fill(fused)).toBe(noColour('light'));
    expect(colours.fill(measured)).not.toBe(noColour('light'));
    colours.numbers = { from: 0, to: 0.99 };
    expect([fused, measured].map((item) => colours.isFiltered(item))).toEqual([true, false]);
  });
  it('print times with units', () => expect([0.5, 12, 3456, 7e6].map(timeText)).toEqual(['0.5 µs', '12 µs', '3.46 ms', '7 s']));
});

describe('a report of two models', () => {
  const data = (id: string): ModelData => ({ model: { file: id } as Model, depth: 1, cut: false, open: {}, children: {}, nodes: [], review: { total: 0, nodes: [], ranges: [] } });
  const links = { modules: { m1: 'm7' }, nodes: { n1: ['n5'], n2: ['n5'] } };
  it('knows what corresponds, in both directions', async () => {
    const main = new EmbeddedSource(data('a'), data('b'), links);
    const other = main.beside();
    expect((await other.model()).file).toBe('b');
    expect(await main.counterparts('m1')).toEqual(['m7']);
    expect(await other.counterparts('m7')).toEqual(['m1']);
    expect(await other.counterparts('n5')).toEqual(['n1', 'n2']);
    expect(await main.counterparts('m9')).toEqual([]);
    expect(invertLinks(invertLinks(links))).toEqual(links);
  });
  it('has no weights', async () => {
    await expect(new EmbeddedSource(data('a')).weights()).rejects.toThrow('A report has no weights');
  });
});
