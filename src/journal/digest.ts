import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Canonical JSON (RFC 8785): the same value is always the same text, whatever the order of its keys. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonical JSON: not a JSON value');
  return text;
}

/** SHA-256 in hex. */
export function digestOf(text: string): string {
  return hash('sha256', text);
}
