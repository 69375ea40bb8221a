import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/**
 * Who may import whom. A folder that is not named may import nothing of ours; `node:` and packages are limited where a
 * folder must stay pure.
 */
const ARROWS: Readonly<Record<string, { readonly ours: readonly string[]; readonly packages: readonly string[] }>> = {
  'src/protocol': { ours: ['src/protocol'], packages: ['zod'] },
  'src/render': { ours: ['src/render', 'src/protocol'], packages: ['@slack/types'] },
  'src/journal': { ours: ['src/journal', 'src/protocol', 'src/errors.ts'], packages: ['better-sqlite3', 'canonicalize', 'node:'] },
  'src/engine': { ours: ['src/engine', 'src/journal', 'src/protocol'], packages: [] },
  'src/adapters': {
    ours: ['src/adapters', 'src/protocol', 'src/fleet.ts', 'src/errors.ts'],
    packages: ['execa', 'csv-parse', 'zod', 'node:'],
  },
  'src/outbox': { ours: ['src/outbox', 'src/journal', 'src/render', 'src/protocol'], packages: ['@slack/', '@octokit/'] },
  'src/chart': { ours: ['src/chart', 'src/render'], packages: ['@observablehq/plot', '@resvg/resvg-js', 'linkedom', 'node:'] },
  'src/workspace': {
    ours: ['src/workspace', 'src/slack', 'src/fleet.ts', 'src/github.ts', 'src/errors.ts'],
    packages: ['@slack/', '@octokit/'],
  },
  'src/health': { ours: ['src/health', 'src/slack', 'src/workspace'], packages: ['prom-client', 'node:'] },
  'src/slack': {
    ours: ['src/slack', 'src/journal', 'src/protocol', 'src/render', 'src/errors.ts'],
    packages: ['@slack/', 'pino', 'node:'],
  },
  commands: {
    ours: ['commands', 'src/engine', 'src/render', 'src/protocol', 'src/fleet.ts', 'src/slack'],
    packages: ['@slack/bolt', '@slack/types', '@slack/web-api'],
  },
};

const root = resolve(import.meta.dirname, '..');

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function importsOf(file: string): readonly string[] {
  return ts.preProcessFile(readFileSync(join(root, file), 'utf8')).importedFiles.map(({ fileName }) => fileName);
}

/** The folder or file of ours that an import names, or null for a package. */
function ours(file: string, target: string): string | null {
  return target.startsWith('.') ? relative(root, resolve(root, dirname(file), target)).replace(/\.js$/, '.ts') : null;
}

test.each(Object.entries(ARROWS))('%s imports only what it may', (folder, { ours: allowed, packages }) => {
  const files = filesIn(folder);

  const against = files.flatMap((file) =>
    importsOf(file).flatMap((target) => {
      const own = ours(file, target);
      const fine =
        own === null
          ? packages.some((name) => target.startsWith(name))
          : allowed.some((name) => own === name || own.startsWith(`${name}/`));
      return fine ? [] : [`${file} imports ${target}`];
    }),
  );

  expect(files.length).toBeGreaterThan(0);
  expect(against).toEqual([]);
});

test('every folder of the sources has its arrows, but the roots that know everybody', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());

  expect(folders.map(({ name }) => `src/${name}`).filter((name) => ARROWS[name] === undefined)).toEqual(['src/local']);
});

test('only the plan may bring a package into the protocol', () => {
  const outside = filesIn('src/protocol').flatMap((file) =>
    importsOf(file).flatMap((target) => (target.startsWith('.') ? [] : [`${file}: ${target}`])),
  );

  expect(outside.filter((line) => !/\/plan\.ts: zod$/.test(line))).toEqual([]);
});

test('nobody spawns but the adapters and the local harbour, and nobody appends but the engine', () => {
  const all = [...filesIn('src'), ...filesIn('commands')];

  const spawns = all.filter((file) => importsOf(file).some((target) => target === 'node:child_process' || target === 'execa'));
  const appends = all.filter((file) => /journal\.append\(/.test(readFileSync(join(root, file), 'utf8')));

  expect(spawns.filter((file) => !file.startsWith('src/adapters/') && !file.startsWith('src/local/'))).toEqual([]);
  expect(appends).toEqual(['src/engine/engine.ts']);
});
