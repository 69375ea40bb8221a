import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * As `parseArgs`, with no option twice that is taken once: the last one would win without a word, over one that somebody may look at. Throws
 * TypeError with a code, like it.
 */
export function parseOnce<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  const seen = new Set<string>();
  for (const token of parseArgs({ ...config, tokens: true }).tokens ?? []) {
    if (token.kind !== 'option' || config.options?.[token.name]?.multiple === true) continue;
    if (seen.has(token.name))
      throw Object.assign(new TypeError(`${token.rawName} is given twice`), { code: 'ERR_PARSE_ARGS_REPEATED_OPTION' });
    seen.add(token.name);
  }
  return parseArgs(config);
}
