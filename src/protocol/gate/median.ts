/**
 * The exact median in one pass over the data, O(n), no sort: a sample brackets it narrowly, one pass counts what lies
 * below the bracket and gathers what lies inside, and only that little is sorted. Where the sample misled, the bracket
 * is widened to everything. The mean of the two middle values for an even length; NaN for none. The data keep their order.
 */
export function medianOf(data: Float64Array): number {
  const n = data.length;
  if (n === 0) return Number.NaN;
  const lower = (n - 1) >>> 1;
  const upper = n >>> 1;
  const bracketed = n < SMALL ? null : bracket(data, lower, upper);
  const { gathered, below } = bracketed ?? { gathered: data.slice(), below: 0 };
  gathered.sort();
  return ((gathered[lower - below] ?? Number.NaN) + (gathered[upper - below] ?? Number.NaN)) / 2;
}

/** Up to here a sort is as fast. */
const SMALL = 2048;

/** Null when the middle turned out to lie outside of the bracket. */
function bracket(data: Float64Array, lower: number, upper: number): { gathered: Float64Array; below: number } | null {
  const n = data.length;
  const size = Math.floor(n ** (2 / 3));
  const sample = new Float64Array(size);
  // A stride that is no whole number, so that a period in the data does not choose the sample.
  for (let i = 0; i < size; i++) sample[i] = data[Math.floor(((i + 0.5) * n) / size)] ?? 0;
  sample.sort();
  // The sample median's rank has a standard deviation of sqrt(size) / 2; six of them on either side.
  const slack = Math.ceil(3 * Math.sqrt(size));
  const from = sample[Math.max(0, (size >>> 1) - slack)] ?? Number.NEGATIVE_INFINITY;
  const to = sample[Math.min(size - 1, (size >>> 1) + slack)] ?? Number.POSITIVE_INFINITY;

  let below = 0;
  let inside = 0;
  const gathered = new Float64Array(Math.min(n, Math.ceil((12 * slack * n) / size)));
  for (let i = 0; i < n; i++) {
    const value = data[i] ?? 0;
    below += value < from ? 1 : 0;
    if (value >= from && value <= to) {
      if (inside === gathered.length) return null;
      gathered[inside++] = value;
    }
  }
  if (lower < below || upper >= below + inside) return null;
  return { gathered: gathered.subarray(0, inside), below };
}
