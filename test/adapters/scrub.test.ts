import { expect, test } from 'vitest';
import { createScrub, secretsIn } from '../../src/adapters/scrub.js';

const SECRET = 'w4ndb/S3cret+Val?ue=';
const scrub = createScrub(secretsIn({ WANDB_API_KEY: SECRET, HF_TOKEN: 'tiny', PATH: '/usr/bin:/usr/local/bin' }));

function leaks(text: string): boolean {
  return scrub(text).includes('S3cret') || scrub(text) === text;
}

test('F82: a known secret is taken out in every form in which output carries it', () => {
  const base64 = Buffer.from(SECRET).toString('base64');
  const basic = Buffer.from(`api:${SECRET}\n`).toString('base64');

  expect(leaks(`the key is ${SECRET}.`)).toBe(false);
  expect(scrub(`encoded ${base64} end`)).toMatch(/^encoded \[redacted\]\S{0,4} end$/);
  expect(scrub(`basic ${basic} end`)).not.toContain(basic.slice(8, 24));
  expect(scrub(`wrapped ${base64.slice(0, 9)}\n${base64.slice(9)}`)).not.toContain(base64.slice(9, 20));
  expect(leaks(`https://host/?k=${encodeURIComponent(SECRET)}`)).toBe(false);
  expect(scrub(`hex ${Buffer.from(SECRET).toString('hex')}`)).toBe('hex [redacted]');
});

test('F82: a secret that came in two chunks is taken out of the whole', () => {
  const chunks = [`before ${SECRET.slice(0, 7)}`, `${SECRET.slice(7)} after`];

  expect(scrub(chunks.join(''))).toBe('before [redacted] after');
});

test('F82: what looks like a secret goes even if nobody told us of it', () => {
  expect(scrub('WANDB_API_KEY=abc def')).toBe('WANDB_API_KEY=[redacted] def');
  expect(scrub('export DB_PASSWORD="a b c"')).toBe('export DB_PASSWORD=[redacted]');
  expect(scrub('-e HF_TOKEN abcdef -e XLA_FLAGS --x')).toBe('-e HF_TOKEN [redacted] -e XLA_FLAGS --x');
  expect(scrub('git clone https://user:tok@host/x.git')).toBe('git clone https://[redacted]@host/x.git');
  expect(scrub('Authorization: Bearer abc.def-ghi')).toBe('Authorization: Bearer [redacted]');
  expect(scrub('"authorization": "token abcdef"')).toBe('"authorization": "token [redacted]"');
  expect(scrub('xoxb-1-2-abc xapp-1-A ghp_abcdefgh12 github_pat_11ABC_def')).toBe('[redacted] [redacted] [redacted] [redacted]');
  expect(scrub('{"api_key": "abc", "n": 1}')).toBe('{"api_key": [redacted], "n": 1}');
  expect(scrub('-----BEGIN RSA PRIVATE KEY-----\nabc\n')).toBe('[redacted]');
});

test('what operations are about is left to read', () => {
  const texts = [
    '/marin/hero-main-step54k-coord-4be07d15,3',
    '{"key":"s3://hero/grug/hero-x/checkpoints/step-54000/metadata.json","size":123}',
    '{"step": 121640, "name": "throughput_tokens_per_second", "value": 1.87}',
    'https://github.com/marin-community/marin/issues/8506#issuecomment-1',
    'I20260920 23:26:04 140211 iris.cli.job Job submitted: /marin/hero-x-coord-1',
    'the tokenizer of token ids',
  ];

  for (const text of texts) expect(scrub(text)).toBe(text);
});
