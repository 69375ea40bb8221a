/**
 * Quantiles of the normal and of Student's t distribution. Sources: P. J. Acklam's rational approximation of the normal
 * quantile (relative error 1.15e-9), and G. W. Hill 1970, Algorithm 396 of the CACM, for t with real degrees of freedom.
 * contracts/gate-judge.md, sections 4.2 and 8, asks for these two.
 */

const CENTRAL_TOP = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1, 2.506628277459239,
];
const CENTRAL_BOTTOM = [-5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1, 1];
const TAIL_TOP = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783,
];
const TAIL_BOTTOM = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1];
const TAIL_BELOW = 0.02425;

/** z with P[Z <= z] = p, for 0 < p < 1. */
export function normalQuantile(p: number): number {
  if (p > 1 - TAIL_BELOW) return -normalQuantile(1 - p);
  if (p < TAIL_BELOW) {
    const q = Math.sqrt(-2 * Math.log(p));
    return horner(TAIL_TOP, q) / horner(TAIL_BOTTOM, q);
  }
  const q = p - 0.5;
  const r = q * q;
  return (horner(CENTRAL_TOP, r) * q) / horner(CENTRAL_BOTTOM, r);
}

/** t with P[T > t] = upper, for 0 < upper < 0.5. Degrees of freedom are real; below 2 they count as 1. */
export function tQuantile(upper: number, degrees: number): number {
  const both = 2 * upper;
  if (degrees < 2) return 1 / Math.tan((both * Math.PI) / 2);
  if (degrees === 2) return Math.sqrt(2 / (both * (2 - both)) - 2);

  const n = degrees;
  const a = 1 / (n - 0.5);
  const b = 48 / (a * a);
  let c = ((20700 * (a / b) - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * n;
  let y = (d * both) ** (2 / n);
  if (y > 0.05 + a) {
    // Near the centre: an asymptotic inverse expansion about the normal quantile.
    const x = normalQuantile(both / 2);
    y = x * x;
    if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = Math.expm1(a * y * y);
  } else {
    y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * ((n + 1) / (n + 2)) + 1 / y;
  }
  return Math.sqrt(n * y);
}

function horner(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}
