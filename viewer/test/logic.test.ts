import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { toRanges, unpack } from '../src/data/embedded';
import { noWord, scaled, WordColours } from '../src/view/colours';
import { fromFragment, toFragment, type LinkedView } from '../src/view/link';
import { countCommon } from '../src/view/ranges';
import { escapeDirections, quoted, short } from '../src/view/text';

describe('ranges', () => {
  it('counts common positions', () => {
    expect(countCommon([0, 10], [2, 4, 8, 20])).toBe(4);
    expect(countCommon([0, 1, 5, 6], [1, 5])).toBe(0);
    expect(countCommon([3, 4], [])).toBe(0);
  });
  it('equals a count one by one', () => {
    const pick = (seed: number) => Array.from({ length: 200 }, (_, i) => i).filter((i) => (i * seed) % 7 < 3);
    const [a, b] = [pick(3), pick(5)];
    expect(countCommon(toRanges(a), toRanges(b))).toBe(a.filter((one) => b.includes(one)).length);
  });
});

describe('links', () => {
  const view: LinkedView = { open: ['m1', 's2:0', 'c3:0-100'], members: [['s2:0', 'm7']], selected: 'n5', colour: 'flops', words: ['a,b', 'c'], numbers: { from: 0.25, to: 1 }, constants: true, search: "role = 'a&b'", flow: 'upstream', place: { x: -1, y: 2.5, scale: 0.5 } };
  it('restore the view', () => {
    expect(fromFragment(`#${toFragment(view)}`)).toEqual(view);
  });
  it('leave out what is wrong', () => {
    expect(fromFragment('#open=m1,<b>,../x&members=a~b&select=%22x&colour=none&at=1,NaN,2&range=1,0&flow=up')).toEqual({ open: ['m1'], members: [], selected: null, colour: 'role', words: null, numbers: null, constants: false, search: '', flow: null, place: null });
    expect(fromFragment('#section')).toBeNull();
  });
});

describe('text', () => {
  it('shortens numbers', () => {
    expect([0, 999, 1000, 12_345, 999_999, 1.5e9].map(short)).toEqual(['0', '999', '1K', '12.3K', '1M', '1.5G']);
  });
  it('quotes for a shell', () => {
    expect(quoted('encoder.layer.0')).toBe('encoder.layer.0');
    expect(quoted("name = 'a'")).toBe(`"name = 'a'"`);
    expect(quoted("a'$(x)")).toBe(`'a'\\''$(x)'`);
  });
  it('shows characters that change the direction of text', () => {
    for (const text of ['x\u202ey', 'x\\u202ey'])
      expect(JSON.parse(escapeDirections(`{"a":"${text}"}`))).toEqual({ a: 'x\\u202ey' });
    expect(JSON.parse(escapeDirections('"\\\\u202e"'))).toBe('\\u202e'); // was text already
  });
});

describe('colours', () => {
  it('of words stay the same', () => {
    const colours = new WordColours();
    colours.count('role', ['norm', 'norm', 'mlp']);
    const before = colours.of('role', 'mlp', 'light');
    colours.count('role', ['mlp', 'mlp', 'mlp', 'attention', noWord]);
    expect(colours.of('role', 'mlp', 'light')).toBe(before);
    expect(colours.of('role', noWord, 'light')).toBe(colours.of('role', 'never seen', 'light'));
  });
  it('scale amounts by their order of magnitude', () => {
    expect(scaled(0, 1e9, 'flops')).toBe(0);
    expect(scaled(1e9, 1e9, 'flops')).toBe(1);
    expect(scaled(1e6, 1e9, 'flops')).toBeCloseTo(0.667, 2);
    expect(scaled(0.5, 1e9, 'confidence')).toBe(0.5);
  });
});

describe('report data', () => {
  it('is unpacked', async () => {
    const text = JSON.stringify({ text: 'é'.repeat(300) });
    const bytes = Buffer.from(text);
    const packed = Buffer.concat([Buffer.from([(bytes.length & 0x7f) | 0x80, bytes.length >> 7]), deflateSync(bytes)]);
    expect(await unpack(packed.toString('base64'))).toBe(text);
  });
});
