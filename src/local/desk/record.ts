/** A JSON object whose fields have not been looked at yet. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object (no array, no null). */
export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string as it is; anything else is the empty string, as Slack reads a field of the wrong type. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The objects of an array; no array has none. */
export function recordsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Parses JSON. Text that is no JSON is `undefined`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
