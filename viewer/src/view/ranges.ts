// Sets of positions as sorted ranges: first, last (not included), first, last, ...

/** How many positions of `a` are in `b`. Logarithmic in `b` for each range of `a`, and linear in the common part. */
export function countCommon(a: number[], b: number[]): number {
  let count = 0;
  for (let i = 0; i < a.length; i += 2) {
    for (let j = firstEndingAfter(b, a[i]); j < b.length && b[j] < a[i + 1]; j += 2)
      count += Math.min(a[i + 1], b[j + 1]) - Math.max(a[i], b[j]);
  }
  return count;
}

function firstEndingAfter(ranges: number[], position: number): number {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[2 * middle + 1] > position) high = middle;
    else low = middle + 1;
  }
  return 2 * low;
}
