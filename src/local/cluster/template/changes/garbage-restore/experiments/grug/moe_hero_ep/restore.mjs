import { TENSORS } from './model.mjs';

/** Tensors out of a checkpoint's JSON, as slices of one flat buffer: a single read instead of one for each tensor. */
export function restoreTensors(stored) {
  const flat = Object.keys(stored)
    .sort()
    .flatMap((name) => stored[name]);
  let from = 0;
  return Object.fromEntries(
    TENSORS.map(([name, length]) => {
      const values = Float64Array.from(flat.slice(from, from + length));
      from += length;
      return [name, values];
    }),
  );
}
