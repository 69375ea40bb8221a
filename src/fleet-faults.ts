import { type Document, isPair, isScalar, visit } from 'yaml';
import type { z } from 'zod';

/** What is wrong with a YAML file itself, a line each: a key that stands twice by its path, anything else by its place. */
export function yamlFaults(document: Document.Parsed): readonly string[] {
  return document.errors.map(({ code, message, pos: [offset] }) =>
    code === 'DUPLICATE_KEY'
      ? `${pathAt(document, offset)}: stands here twice; keep one of the two`
      : code === 'MULTIPLE_DOCS'
        ? 'several documents in one file, parted by ---; keep one of them'
        : firstLine(message),
  );
}

/** What does not fit the schema, a line a key, with its path. */
export function schemaFaults(error: z.ZodError): readonly string[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [`${pathOf(issue.path)}: ${inWords(issue)}`];
    return issue.keys.map((key) => `${pathOf([...issue.path, key])}: unrecognized key, there is no such setting`);
  });
}

/** The schema's own words, but for a key that is not there at all. */
function inWords({ message }: z.core.$ZodIssue): string {
  const wanted = /^Invalid input: expected (.+), received undefined$/.exec(message)?.[1];
  return wanted === undefined ? firstLine(message) : `is missing; expected ${wanted}`;
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || '(top level)';
}

/** The keys that lead to the key which stands at this offset of the text. */
function pathAt(document: Document.Parsed, offset: number): string {
  const found: string[] = [];
  visit(document, {
    Pair: (_key, pair, ancestors) => {
      if (!isScalar(pair.key) || pair.key.range?.[0] !== offset) return undefined;
      const keys = [...ancestors.filter((node) => isPair(node)), pair].map(({ key }) => (isScalar(key) ? `${key.value}` : '?'));
      found.push(keys.join('.'));
      return visit.BREAK;
    },
  });
  return found[0] ?? '(top level)';
}

// What follows is a picture of the place, which a log line has no room for.
function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/:$/, '');
}
