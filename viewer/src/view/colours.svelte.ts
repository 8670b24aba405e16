// Colours: how items are coloured, and which of them the legend leaves visible.
import type { CountedItem, Model } from '../data/types';
import { isNumeric, modesOf, noColour, numberColour, numberOf, scaled, wordOf, type ColourMode, type Theme, type WordColours } from './colours';

export interface Coloured {
  readonly model: Model | null;
  readonly theme: Theme;
  /** The items that are drawn closed. */
  readonly visible: CountedItem[];
}

const bins = 20;

export class Colours {
  mode = $state<ColourMode>('role');
  /** Words that are shown, or a range of numbers from 0 to 1; null shows everything. */
  words = $state.raw<readonly string[] | null>(null);
  numbers = $state.raw<{ from: number; to: number } | null>(null);

  constructor(
    private readonly shown: Coloured,
    readonly wordColours: WordColours,
  ) {}

  readonly modes = $derived.by(() => modesOf(this.shown.model));
  readonly wordCounts = $derived.by(() => (isNumeric(this.mode) ? [] : this.wordColours.count(this.mode, this.shown.visible.map((item) => wordOf(item, this.mode)))));
  readonly histogram = $derived.by(() => {
    const counts = new Array<number>(bins).fill(0);
    if (isNumeric(this.mode)) for (const part of this.shown.visible.map((item) => this.part(item))) if (part !== null) ++counts[Math.min(bins - 1, Math.floor(part * bins))];
    return counts;
  });

  total(): number {
    return (this.shown.model && numberOf(this.shown.model.root, this.mode)) ?? 0;
  }
  /** Null if it was not measured. */
  part(item: CountedItem): number | null {
    const value = numberOf(item, this.mode);
    return value === null ? null : scaled(value, this.total(), this.mode);
  }
  fill(item: CountedItem): string {
    const part = isNumeric(this.mode) ? this.part(item) : null;
    if (part !== null) return numberColour(part, this.mode, this.shown.theme);
    return isNumeric(this.mode) ? noColour(this.shown.theme) : this.wordFill(wordOf(item, this.mode));
  }
  wordFill(word: string): string {
    void this.wordCounts; // gives new words their colours
    return this.wordColours.of(this.mode, word, this.shown.theme);
  }
  isFiltered(item: CountedItem): boolean {
    if (this.words && !isNumeric(this.mode)) return !this.words.includes(wordOf(item, this.mode));
    if (!this.numbers || !isNumeric(this.mode)) return false;
    const part = this.part(item);
    return part === null || part < this.numbers.from || part > this.numbers.to;
  }

  set(mode: ColourMode): void {
    this.mode = this.modes.includes(mode) ? mode : 'role';
    this.words = null;
    this.numbers = null;
  }
  filter(words: readonly string[] | null, numbers: { from: number; to: number } | null): void {
    this.words = isNumeric(this.mode) ? null : words;
    this.numbers = isNumeric(this.mode) ? numbers : null;
  }
  next(): void {
    this.set(this.modes[(this.modes.indexOf(this.mode) + 1) % this.modes.length]);
  }
  toggleWord(word: string): void {
    const words = this.words ?? [];
    const next = words.includes(word) ? words.filter((one) => one !== word) : [...words, word];
    this.words = next.length > 0 ? next : null;
  }
}
