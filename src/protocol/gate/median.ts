/**
 * The exact median in O(n), no sort of the whole: a sample brackets it, one pass counts what lies below the bracket and
 * gathers the little that lies inside, and so on with that. Where the sample misled, the whole is sorted. The mean of the
 * two middle values for an even length; NaN for none. The data keep their order.
 */
export function medianOf(data: Float64Array): number {
  const n = data.length;
  return n === 0 ? Number.NaN : meanOfRanks(data, (n - 1) >>> 1, n >>> 1);
}

/** Up to here a sort is as fast. */
const SMALL = 1024;

/** Mean of the values that would stand at ranks `lower` and `upper` = `lower` or `lower` + 1, were the data sorted. */
function meanOfRanks(data: Float64Array, lower: number, upper: number): number {
  const inner = data.length <= SMALL ? null : bracket(data, lower, upper);
  if (inner !== null) return meanOfRanks(inner.gathered, lower - inner.below, upper - inner.below);
  const sorted = data.slice().sort();
  return ((sorted[lower] ?? Number.NaN) + (sorted[upper] ?? Number.NaN)) / 2;
}

/** Null when a rank turned out to lie outside of the bracket, or too much inside. */
function bracket(data: Float64Array, lower: number, upper: number): { gathered: Float64Array; below: number } | null {
  const n = data.length;
  const size = Math.floor(n ** (2 / 3));
  const sample = new Float64Array(size);
  for (let i = 0; i < size; i++) sample[i] = data[Math.floor(((i + 0.5) * n) / size)] ?? 0;
  sample.sort();
  // A rank in the sample has a standard deviation of at most sqrt(size) / 2; five of them on either side.
  const slack = Math.ceil(2.5 * Math.sqrt(size));
  const centre = Math.floor((lower / n) * size);
  const from = sample[Math.max(0, centre - slack)] ?? 0;
  const to = sample[Math.min(size - 1, centre + slack)] ?? 0;

  let below = 0;
  let inside = 0;
  const gathered = new Float64Array(Math.min(n - 1, Math.ceil((4 * slack * n) / size)));
  for (let i = 0; i < n; i++) {
    const value = data[i] ?? 0;
    if (value < from) below++;
    else if (value <= to) {
      if (inside === gathered.length) return null;
      gathered[inside++] = value;
    }
  }
  if (lower < below || upper >= below + inside) return null;
  return { gathered: gathered.subarray(0, inside), below };
}
