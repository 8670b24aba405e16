import { describe, expect, it } from 'vitest';
import type { ModuleItem, NodeItem, Picture, StackItem, Summary } from '../src/data/types';
import { layoutBox } from '../src/layout/layout';
import { buildScene, headerHeight, labelOf, pathOf, withoutConstants, type Openings, type Scene } from '../src/view/scene';
import { walk } from '../src/view/walk';

const counts: Summary = { nodes: 2, parameters: 0, bytes: 0, flops: 0, confidence: 1, levels: [2, 0, 0, 0], sources: {}, ranges: [] };
const node = (id: string, op = 'Add'): NodeItem => ({ ...counts, kind: 'node', id, name: id, op });
const module = (id: string): ModuleItem => ({ ...counts, kind: 'module', id, name: id });
const stack: StackItem = { ...counts, kind: 'stack', id: 's2:0', name: '0–1', members: ['m3', 'm4'] };
const pictures: Record<string, Picture> = {
  m0: { id: 'm0', items: [node('n0'), module('m1'), node('n9')], edges: [[0, 1, 1, ''], [1, 2, 3, '']], inputs: [], outputs: [] },
  m1: { id: 'm1', items: [node('n1'), node('n2'), stack], edges: [[0, 1, 1, '[2]'], [1, 2, 1, '']], inputs: [[0, 1]], outputs: [[2, 1]] },
  m3: { id: 'm3', items: [node('n3')], edges: [], inputs: [[0, 1]], outputs: [[0, 1]] },
  m4: { id: 'm4', items: [node('n4')], edges: [], inputs: [[0, 1]], outputs: [[0, 1]] },
};

function scene(open: string[], members: [string, string][] = []): Promise<Scene> {
  const openings: Openings = { open: new Set(open), members: new Map(members) };
  return buildScene({ open: async (box) => pictures[box], layout: async (request) => layoutBox(request) }, openings);
}
const ids = (made: Scene) => made.items.map(({ item }) => item.id);

describe('scene', () => {
  it('shows the content of open boxes only', async () => {
    expect(ids(await scene([]))).toEqual(['n0', 'm1', 'n9']);
    expect(ids(await scene(['m1']))).toEqual(['n0', 'm1', 'n1', 'n2', 's2:0', 'n9']);
  });

  it('shows the chosen member of a stack', async () => {
    expect(ids(await scene(['m1', 's2:0']))).toContain('n3');
    expect(ids(await scene(['m1', 's2:0'], [['s2:0', 'm4']]))).toContain('n4');
  });

  it('places items inside their boxes, without overlaps', async () => {
    const made = await scene(['m1', 's2:0']);
    const at = (id: string) => made.items.find(({ item }) => item.id === id)!;
    const outer = at('m1');
    for (const id of ['n1', 'n2', 's2:0', 'n3']) {
      const one = at(id);
      expect(one.x).toBeGreaterThanOrEqual(outer.x);
      expect(one.y).toBeGreaterThanOrEqual(outer.y);
      expect(one.x + one.width).toBeLessThanOrEqual(outer.x + outer.width);
      expect(one.y + one.height).toBeLessThanOrEqual(outer.y + outer.height);
    }
    const siblings = ['n1', 'n2', 's2:0'].map(at);
    for (const a of siblings)
      for (const b of siblings)
        if (a !== b) expect(a.y + a.height <= b.y || b.y + b.height <= a.y || a.x + a.width <= b.x || b.x + b.width <= a.x).toBe(true);
  });

  it('keeps edges between closed boxes bundled', async () => {
    const made = await scene(['m1']);
    expect(made.edges.find((edge) => edge.from === 'm1' && edge.to === 'n9')!.tensors).toBe(3);
    expect(made.edges.filter((edge) => edge.from === null).map((edge) => edge.to)).toEqual(['n1']);
  });

  it('draws edges from and to outside up to the border of the box', async () => {
    const made = await scene(['m1']);
    const box = made.items.find(({ item }) => item.id === 'm1')!;
    expect(made.edges.find((edge) => edge.from === null)!.points[0].y).toBeCloseTo(box.y + headerHeight);
    expect(made.edges.find((edge) => edge.to === null)!.points.at(-1)!.y).toBeCloseTo(box.y + box.height);
  });

  it('leaves room for the header of an open box, whose text is cut', async () => {
    const wide: ModuleItem = { ...module('m1'), name: 'n'.repeat(5000), class: `a.${'C'.repeat(5000)}` };
    const m0 = { ...pictures.m0, items: [node('n0'), wide, node('n9')] };
    const made = await buildScene({ open: async (box) => (box === 'm0' ? m0 : pictures[box]), layout: async (request) => layoutBox(request) }, { open: new Set(['m1']), members: new Map() });
    const { width } = made.items.find(({ item }) => item.id === 'm1')!;
    expect(width).toBeGreaterThan(400);
    expect(width).toBeLessThan(700);
  });

  it('leaves out constants with their edges', () => {
    const picture: Picture = { id: 'm0', items: [node('n0', 'Constant'), node('n1'), node('n2')], edges: [[0, 1, 1, ''], [1, 2, 1, 'x']], inputs: [[2, 1]], outputs: [[0, 1]] };
    expect(withoutConstants(picture)).toEqual({ id: 'm0', items: picture.items.slice(1), edges: [[0, 1, 1, 'x']], inputs: [[1, 1]], outputs: [] });
  });

  it('cuts long names', () => {
    expect(labelOf(node('n', 'x'.repeat(1_000_000)))[0].length).toBeLessThan(40);
  });

  it('draws a path from the first point to the last', () => {
    expect(pathOf([{ x: 0, y: 0 }, { x: 0, y: 50 }, { x: 50, y: 90 }])).toBe('M0.0,0.0L0.0,50.0C0.0,70.0 50.0,70.0 50.0,90.0');
  });
});

describe('walking', () => {
  it('follows edges up and down', async () => {
    const made = await scene(['m1']);
    expect(walk(made, 'n1', 'ArrowDown')).toBe('n2');
    expect(walk(made, 'n2', 'ArrowUp')).toBe('n1');
    expect(walk(made, 'n0', 'ArrowDown')).toBe('m1');
    expect(walk(made, 'n0', 'ArrowUp')).toBeNull();
  });

  it('starts at the first item', async () => {
    expect(walk(await scene([]), '', 'ArrowDown')).toBe('n0');
  });
});

describe('layout', () => {
  it('places 600 items in a second or so', () => {
    const items = Array.from({ length: 600 }, () => ({ width: 60, height: 28 }));
    const edges = items.slice(1).map((_, i): [number, number] => [i, i + 1]);
    const result = layoutBox({ items, edges, inputs: [0], outputs: [599] });
    expect(result.items).toHaveLength(600);
    expect(new Set(result.items.map((at) => at.y)).size).toBe(600);
  });

  it('draws edges from the lower side of an item to the upper side of the next', () => {
    const items = [{ width: 60, height: 28 }, { width: 60, height: 300 }, { width: 60, height: 28 }, { width: 200, height: 28 }];
    const edges: [number, number][] = [[0, 1], [0, 2], [1, 3], [2, 3], [0, 3]];
    const made = layoutBox({ items, edges, inputs: [0, 2], outputs: [1, 3] });
    edges.forEach(([from, to], i) => {
      const [start, end] = [made.edges[i][0], made.edges[i].at(-1)!];
      expect(start.y).toBeCloseTo(made.items[from].y + items[from].height);
      expect(end.y).toBeCloseTo(made.items[to].y);
      expect(end.x).toBeGreaterThan(made.items[to].x);
      expect(end.x).toBeLessThan(made.items[to].x + items[to].width);
    });
    for (const [i, outside] of made.edges.slice(edges.length).entries()) expect(i < 2 ? outside[0].y : outside.at(-1)!.y).toBeCloseTo(i < 2 ? 0 : made.height);
  });

  it('survives cycles and an empty box', () => {
    const size = { width: 10, height: 10 };
    expect(layoutBox({ items: [size, size], edges: [[0, 1], [1, 0]], inputs: [], outputs: [] }).edges).toHaveLength(2);
    expect(layoutBox({ items: [], edges: [], inputs: [], outputs: [] }).items).toEqual([]);
  });
});
