/** Takes secrets out of a text. Pure; to be given the whole text, since a secret may span two chunks. */
export type Scrub = (text: string) => string;

const GONE = '[redacted]';

/** Shorter values are words, and taking every one of them out would leave nothing to read. */
const SECRET_CHARS_MIN = 6;

const SECRET_NAME = /TOKEN|SECRET|KEY|PASSWORD|PASSWD|CREDENTIAL/i;

/** What looks like a secret wherever it stands; each keeps the part that says what it was. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, GONE],
  [/\bxox[a-z]-[A-Za-z0-9-]+/g, GONE],
  [/\bxapp-[A-Za-z0-9-]+/g, GONE],
  [/\bgh[a-z]_[A-Za-z0-9]{8,}/g, GONE],
  [/\bgithub_pat_[A-Za-z0-9_]+/g, GONE],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, GONE],
  [/\beyJ[\w-]{4,4096}\.[\w-]{4,4096}\.[\w-]+/g, GONE],
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]*@/gi, `$1${GONE}@`],
  [/(\bauthorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token)\s+)?)[^\s"',]+/gi, `$1${GONE}`],
  [/(\bbearer\s+)[\w.~+/=-]{6,}/gi, `$1${GONE}`],
  // NAME=value as environments are printed; the name decides.
  [/(\b[A-Z0-9_]*(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD)[A-Z0-9_]*\s*=\s*)(?:"[^"]*"|'[^']*'|[^\s"',;&]+)/g, `$1${GONE}`],
  // -e NAME value, as the scheduler's command line has it.
  [/((?:^|\s)(?:-e|--env)\s+[A-Z0-9_]*(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD)[A-Z0-9_]*\s+)\S+/g, `$1${GONE}`],
  // api_key=…, "access-token": "…", --password …; whole words only, or tokens_per_second would be one. A bare `key:` is
  // the name of an object, not a secret.
  [
    /((?:\b|--)(?:[a-z0-9]{1,30}[_-]){0,6}(?:api_?key|token|secret|password|passwd)(?:[_-][a-z0-9]{1,30}){0,6}["']?(?:\s*[=:]\s*|\s+(?=[^\s=:]*\d)))(?:"[^"]*"|'[^']*'|[^\s"',;&}]+)/gi,
    `$1${GONE}`,
  ],
  [/((?:\b|--)(?:[a-z0-9]{1,30}[_-]){1,6}key["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|[^\s"',;&}]+)/gi, `$1${GONE}`],
  [/(\bkey=)(?:"[^"]*"|'[^']*'|[^\s"',;&}]+)/gi, `$1${GONE}`],
];

/** The values of the variables whose name says that they are secret. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value?.trim() ?? '')
    .filter((value) => value.length >= SECRET_CHARS_MIN);
}

/** A scrub for the given secrets in every form in which output is known to carry them, and for whatever looks like one. */
export function createScrub(secrets: readonly string[]): Scrub {
  // Longest first: one secret may be a part of another.
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const known = forms.length === 0 ? null : new RegExp(forms.join('|'), 'g');
  return (text) => {
    let scrubbed = known === null ? text : text.replace(known, GONE);
    for (const [shape, replacement] of SHAPES) scrubbed = scrubbed.replace(shape, replacement);
    return scrubbed;
  };
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const url = encodeURIComponent(secret);
  const plain = [secret, JSON.stringify(secret).slice(1, -1), url, url.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())];
  const coded = [bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...base64Of(bytes)];
  return [...plain.map(escaped), ...coded.map(wrapped)];
}

// Three alignments, since the secret may be the middle of what was encoded (`user:secret`, or a line end after it). The
// first and last characters that depend on the neighbours are left off.
function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const from = Math.ceil((before * 8) / 6);
    const until = Math.floor(((before + bytes.length) * 8) / 6);
    const core = text.slice(from, until);
    return core.length < SECRET_CHARS_MIN ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

// `base64` breaks its lines at 76 characters.
function wrapped(text: string): string {
  return [...text].map(escaped).join('(?:\\r?\\n)?');
}
