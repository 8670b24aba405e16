// Colours of items: by a word (role, class, source, change) or by a number (confidence, parameters, FLOPs, bytes, time, drift).
import type { CountedItem, Model } from '../data/types';
import { shortClass } from './text';

export type Theme = 'light' | 'dark';
export const colourModes = ['role', 'class', 'confidence', 'source', 'parameters', 'flops', 'bytes', 'time', 'drift', 'change'] as const;
export type ColourMode = (typeof colourModes)[number];

export const modeLabels: Record<ColourMode, string> = {
  role: 'Role',
  class: 'Class',
  confidence: 'Confidence',
  source: 'Evidence source',
  parameters: 'Parameters',
  flops: 'FLOPs',
  bytes: 'Bytes of weights',
  time: 'Time',
  drift: 'Drift',
  change: 'Change',
};

/** The modes for which the model has data. */
export function modesOf(model: Model | null): ColourMode[] {
  const overlays = model?.overlays ?? {};
  return colourModes.filter((mode) => (mode === 'time' ? overlays.time : mode === 'drift' ? overlays.drift : mode === 'change' ? overlays.comparison : true));
}
/** What a user who gives another file wants to see first. */
export function firstMode(model: Model): ColourMode {
  const { comparison, drift, time } = model.overlays;
  return drift ? 'drift' : time ? 'time' : comparison ? 'change' : 'role';
}

export const noWord = '(none)';

export function isNumeric(mode: ColourMode): boolean {
  return !['role', 'class', 'source', 'change'].includes(mode);
}

/** The most frequent kind of difference. */
export const unchanged = 'same';
function changeOf(item: CountedItem): string {
  const changes = Object.entries(item.changes ?? {}).sort((a, b) => b[1] - a[1]);
  return changes[0]?.[0] ?? unchanged;
}

/** The word of an item; of a box with nodes from several sources, the most frequent one. */
export function wordOf(item: CountedItem, mode: ColourMode): string {
  if (mode === 'role') return item.role ?? noWord;
  if (mode === 'class') return shortClass(item.class) || noWord;
  if (mode === 'change') return changeOf(item);
  const sources = Object.entries(item.sources).sort((a, b) => b[1] - a[1]);
  return sources[0]?.[0] ?? noWord;
}

/** Null if it was not measured. */
export function numberOf(item: CountedItem, mode: ColourMode): number | null {
  if (mode === 'confidence') return item.confidence;
  if (mode === 'time') return item.time_us ?? null;
  if (mode === 'drift') return item.drift === 'inf' ? Infinity : (item.drift ?? null);
  return mode === 'parameters' ? item.parameters : mode === 'flops' ? item.flops : item.bytes;
}

/** From 0 to 1. Amounts differ by orders of magnitude, so they are on a logarithmic scale up to that of the model. */
export function scaled(value: number, total: number, mode: ColourMode): number {
  if (mode === 'confidence') return value;
  if (mode === 'time') return total <= 0 ? 0 : Math.min(1, Math.sqrt(value / total)); // a share of 1% is still visible
  if (mode === 'drift') return driftPart(value);
  return value <= 0 || total <= 0 ? 0 : Math.min(1, Math.log1p(value) / Math.log1p(total));
}

// Drift is a relative error: 1e-8 is rounding of float32, 1 is another result.
const driftDecades = 8;
function driftPart(value: number): number {
  return value <= 0 ? 0 : Math.min(1, Math.max(0, 1 + Math.log10(value) / driftDecades));
}
/** The number at a place of the scale: the inverse of scaled(). */
export function valueAt(part: number, total: number, mode: ColourMode): number {
  if (mode === 'confidence') return part;
  if (mode === 'time') return part * part * total;
  if (mode === 'drift') return part <= 0 ? 0 : 10 ** ((part - 1) * driftDecades);
  return Math.expm1(part * Math.log1p(total));
}

// Kinds of difference keep their colours: green is new, red is gone, blue is joined, the others are changed.
const changeHues: Record<string, number> = { added: 135, removed: 0, fused: 212, split: 185, quantised: 275, moved: 320 };
const changedHue = 40;

// Hues far from each other, in the order in which words are given one.
const hues = [210, 28, 140, 330, 265, 55, 180, 0, 95, 300, 235, 15];

export function wordColour(index: number, theme: Theme): string {
  const hue = hues[index % hues.length];
  const round = Math.floor(index / hues.length) % 3;
  return theme === 'light' ? `hsl(${hue} ${70 - round * 20}% ${86 - round * 5}%)` : `hsl(${hue} ${42 - round * 12}% ${27 + round * 5}%)`;
}

export function noColour(theme: Theme): string {
  return theme === 'light' ? '#f1f3f5' : '#2b3036';
}

export function numberColour(part: number, mode: ColourMode, theme: Theme): string {
  if (mode === 'confidence') {
    const hue = Math.round(Math.max(0, (part - 0.4) / 0.6) * 140); // red to green
    return theme === 'light' ? `hsl(${hue} 65% 84%)` : `hsl(${hue} 40% 26%)`;
  }
  if (mode === 'time' || mode === 'drift') {
    const hue = 50 - part * 45; // yellow to red
    return theme === 'light' ? `hsl(${hue} ${40 + part * 55}% ${96 - part * 30}%)` : `hsl(${hue} ${15 + part * 55}% ${19 + part * 19}%)`;
  }
  return theme === 'light' ? `hsl(212 75% ${96 - part * 30}%)` : `hsl(212 ${20 + part * 40}% ${20 + part * 22}%)`;
}

/** The colours of words. A word keeps its colour while boxes open and close. */
export class WordColours {
  private readonly indices = new Map<string, number>();
  private readonly used = new Map<ColourMode, number>();

  /** Words with their counts, the most frequent first. A word that has no colour yet gets the next one. */
  count(mode: ColourMode, words: string[]): [string, number][] {
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    for (const [word] of sorted) {
      const key = `${mode} ${word}`;
      if (word === noWord || this.indices.has(key)) continue;
      const next = this.used.get(mode) ?? 0;
      this.indices.set(key, next);
      this.used.set(mode, next + 1);
    }
    return sorted;
  }

  of(mode: ColourMode, word: string, theme: Theme): string {
    if (mode === 'change' && word !== unchanged) {
      const hue = changeHues[word] ?? changedHue;
      return theme === 'light' ? `hsl(${hue} 70% 84%)` : `hsl(${hue} 42% 27%)`;
    }
    if (mode === 'change') return noColour(theme);
    const index = this.indices.get(`${mode} ${word}`);
    return index === undefined ? noColour(theme) : wordColour(index, theme);
  }
}
