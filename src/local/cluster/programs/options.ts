/** What one option takes: a value, two values, or nothing. */
export type OptionShape = 'value' | 'pair' | 'flag';

export interface Parsed {
  /** The last value of each option that takes one. */
  readonly values: ReadonlyMap<string, string>;
  readonly pairs: ReadonlyMap<string, readonly (readonly [string, string])[]>;
  readonly flags: ReadonlySet<string>;
  /** Arguments that are not options, and everything behind `--`. */
  readonly rest: readonly string[];
}

/**
 * Splits arguments as click does. `stopAtFirst` leaves everything from the first argument that is no option in `rest`.
 * Returns the message of the usage error as a string.
 */
export function parseOptions(argv: readonly string[], shapes: Readonly<Record<string, OptionShape>>, stopAtFirst = false): Parsed | string {
  const values = new Map<string, string>();
  const pairs = new Map<string, [string, string][]>();
  const flags = new Set<string>();
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? '';
    if (argument === '--') {
      rest.push(...argv.slice(at + 1));
      break;
    }
    if (!argument.startsWith('-') || argument === '-') {
      if (stopAtFirst) {
        rest.push(...argv.slice(at));
        break;
      }
      rest.push(argument);
      continue;
    }
    const equals = argument.startsWith('--') ? argument.indexOf('=') : -1;
    const name = equals < 0 ? argument : argument.slice(0, equals);
    const shape = shapes[name];
    if (shape === undefined) return `No such option: ${name}`;
    if (shape === 'flag') {
      if (equals >= 0) return `Option '${name}' does not take a value.`;
      flags.add(name);
    } else if (shape === 'value') {
      const value = equals < 0 ? argv[at + 1] : argument.slice(equals + 1);
      if (equals < 0) at += 1;
      if (value === undefined) return `Option '${name}' requires an argument.`;
      values.set(name, value);
    } else {
      const [key, value] = [argv[at + 1], argv[at + 2]];
      if (key === undefined || value === undefined) return `Option '${name}' requires 2 arguments.`;
      pairs.set(name, [...(pairs.get(name) ?? []), [key, value]]);
      at += 2;
    }
  }
  return { values, pairs, flags, rest };
}
