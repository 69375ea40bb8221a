import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * As `parseArgs`, with no option twice: the last one would win without a word, over one that somebody may look at. Throws
 * TypeError, like it.
 */
export function parseOnce<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  const seen = new Set<string>();
  for (const token of parseArgs({ ...config, tokens: true }).tokens ?? []) {
    if (token.kind !== 'option') continue;
    if (seen.has(token.name)) throw new TypeError(`${token.rawName} is given twice`);
    seen.add(token.name);
  }
  return parseArgs(config);
}
