import type { Text } from '../../src/render/text.js';

type Says = (...args: never[]) => Text | readonly Text[];

/**
 * Arguments for every function of a module that says something, by its name; several ways of saying it each under a title. A
 * new one does not compile without a sample, and `spoken` is what the tests look at.
 */
export type SamplesOf<M> = {
  readonly [K in keyof M as M[K] extends Says ? K : never]: M[K] extends (...args: infer A) => unknown
    ? Readonly<Record<string, A>>
    : never;
};

/** Everything that a module says, each sample named by its function, and by its title where there is more than one. */
export function spoken<M extends object>(
  module: M,
  samples: SamplesOf<M>,
): readonly { readonly name: string; readonly text: Text | readonly Text[] }[] {
  const said = new Map<string, unknown>(Object.entries(module));
  return Object.entries<Readonly<Record<string, readonly unknown[]>>>(samples).flatMap(([name, ways]) =>
    Object.entries(ways).map(([title, args]) => {
      const speak = said.get(name);
      if (typeof speak !== 'function') throw new TypeError(`sample ${name}: the module says no such thing`);
      return { name: title === '' ? name : `${name}, ${title}`, text: speak(...args) };
    }),
  );
}
