// Numbers and names as short text.

const units = ['', 'K', 'M', 'G', 'T', 'P'];

export function short(value: number): string {
  let unit = 0;
  let rest = value;
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000;
    ++unit;
  }
  return `${unit === 0 ? Math.round(rest) : Number(rest.toPrecision(3))}${units[unit]}`;
}

/** Microseconds with a unit. */
export function timeText(microseconds: number): string {
  if (microseconds >= 1e6) return `${Number((microseconds / 1e6).toPrecision(3))} s`;
  if (microseconds >= 1000) return `${Number((microseconds / 1000).toPrecision(3))} ms`;
  return `${Number(microseconds.toPrecision(3))} µs`;
}

export function driftText(drift: number | 'inf'): string {
  if (drift === 'inf' || drift === Infinity) return 'inf';
  return drift === 0 ? '0' : drift.toExponential(1);
}

/** A number of a colour scale. */
export function amountText(value: number, mode: string): string {
  if (mode === 'confidence') return value.toFixed(2);
  if (mode === 'time') return timeText(value);
  return mode === 'drift' ? driftText(value) : short(value);
}

/** Kinds of difference with their numbers: "3 fused, 1 added". */
export function changesText(changes: Record<string, number>): string {
  return Object.entries(changes)
    .sort((a, b) => b[1] - a[1])
    .map(([kind, count]) => `${count} ${kind.replace('_', ' ')}`)
    .join(', ');
}

export function counted(value: number, what: string): string {
  return `${short(value)} ${what}${value === 1 ? '' : 's'}`;
}

export function shortClass(name: string | undefined | null): string {
  return name ? name.slice(name.lastIndexOf('.') + 1) : '';
}

export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

export const maxText = 2000;

/** A copy of data whose texts have at most maxText characters. */
export function cutTexts<T>(data: T): T {
  if (typeof data === 'string') return cut(data, maxText) as T;
  if (Array.isArray(data)) return data.map(cutTexts) as T;
  if (data === null || typeof data !== 'object') return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, cutTexts(value)])) as T;
}

/** For a shell: in single quotes, or in double quotes if that is easier to read. */
export function quoted(text: string): string {
  if (/^[\w./+@-]+$/.test(text)) return text;
  if (text.includes("'") && !/["$`\\!]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

// The characters themselves or as JSON escapes. An escaped backslash is matched first, so that what follows it is not
// taken for an escape.
const direction = /(\\\\)|\\u(200[ef]|202[a-e]|206[6-9])|([\u200e\u200f\u202a-\u202e\u2066-\u2069])/gi;

/** Shows characters that change the direction of text as escapes, in JSON that is not parsed yet. */
export function escapeDirections(json: string): string {
  return json.replace(direction, (all: string, backslash?: string, code?: string, raw?: string) =>
    backslash ? all : `\\\\u${code ?? raw!.charCodeAt(0).toString(16)}`,
  );
}
