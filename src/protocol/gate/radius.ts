/** The prior on mean / sd is N(0, g): large, since what must be found at once is large. */
const G = 20;

/**
 * R(n, s, alpha): half the width of a normal-mixture t confidence sequence after n block means with standard deviation s.
 * Source: contracts/gate-judge.md, section 4.1.
 *
 *     w = 1 / (1 + n g)      q = exp(-(2 ln alpha + ln w) / n)      R = s / sqrt n · sqrt((n - 1)(q - 1) / (1 - q w))
 *
 * For iid Gaussian block means about the mean that is tested, E_n = w^(1/2) [(1 + t²/(n-1)) / (1 + w t²/(n-1))]^(n/2) is a
 * nonnegative martingale with E_1 = 1, so by Ville's inequality it ever reaches 1/alpha with probability at most alpha;
 * E_n = 1/alpha solved for t is R. Hence one may look as often as one likes.
 *
 * Infinite while too few blocks are there to decide at this alpha, whatever they say: two never are.
 */
export function radius(n: number, s: number, alpha: number): number {
  const w = 1 / (1 + n * G);
  const q = Math.exp(-(2 * Math.log(alpha) + Math.log(w)) / n);
  if (n <= 1 || !(q * w < 1)) return Number.POSITIVE_INFINITY;
  if (s === 0) return 0;
  return (s / Math.sqrt(n)) * Math.sqrt(((n - 1) * (q - 1)) / (1 - q * w));
}
