import { TENSORS } from './model.mjs';

/** Tensors out of a checkpoint's JSON, by name. JSON keeps each float exactly: it prints the shortest text that reads back the same. */
export function restoreTensors(stored) {
  return Object.fromEntries(
    TENSORS.map(([name, length]) => {
      const values = stored[name];
      if (!Array.isArray(values) || values.length !== length) throw new Error(`checkpoint tensor ${name} does not have ${length} values`);
      return [name, Float64Array.from(values)];
    }),
  );
}
