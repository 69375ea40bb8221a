import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gist, registryOf } from './asking.js';
import { type FakeCommand, fakeCommand, fakeFleet } from './fake-command.js';

const PERMANENT = 's3://hero/grug/hero-main-step54k/2026.08.19.2/checkpoints';
const TEMPORARY = 's3://hero-checkpoints/tmp/ttl=14d/checkpoints-temp/hero/marin/grug/hero-main-step54k/2026.08.19.2/checkpoints';

/** A store that holds these objects, by address. */
function store(objects: Readonly<Record<string, string>>): FakeCommand {
  const command = fakeCommand('exec "$(cat "$dir/node")" "$dir/store.mjs" "$dir/objects.json" "$@"');
  const script = `
    import { readFileSync } from 'node:fs';
    const [file, verb, url] = process.argv.slice(2);
    const objects = JSON.parse(readFileSync(file, 'utf8'));
    if (verb === 'list') {
      const keys = Object.keys(objects).filter((key) => key.startsWith(url)).sort();
      console.log(JSON.stringify(keys.map((key) => ({ key, size: objects[key].length }))));
    } else if (objects[url] === undefined) {
      console.error('no such object: ' + url);
      process.exitCode = 1;
    } else process.stdout.write(objects[url]);
  `;
  writeFileSync(join(command.dir, 'node'), process.execPath);
  writeFileSync(join(command.dir, 'store.mjs'), script);
  writeFileSync(join(command.dir, 'objects.json'), JSON.stringify(objects));
  return command;
}

function metadata(step: number, isTemporary: boolean): string {
  return JSON.stringify({ step, timestamp: '2026-09-20T23:26:00Z', is_temporary: isTemporary });
}

async function checkpoints(objectstore: FakeCommand) {
  return gist(await registryOf(fakeFleet({ objectstore })).read('checkpoints', { family: 'hero', runId: 'hero-main-step54k' }));
}

test('both trees are one list, by the number of the step, and a checkpoint without metadata is incomplete', async () => {
  const objectstore = store({
    [`${PERMANENT}/step-108000/params.json`]: 'x',
    [`${PERMANENT}/step-54000/metadata.json`]: metadata(54000, false),
    [`${PERMANENT}/step-54000/params.json`]: 'x',
    [`${PERMANENT}/step-6000/metadata.json`]: metadata(6000, false),
    [`${PERMANENT}-old/step-1/metadata.json`]: metadata(1, false),
    [`${TEMPORARY}/step-58014/metadata.json`]: metadata(58014, true),
  });

  expect(await checkpoints(objectstore)).toEqual({
    known: [
      { step: 6000, path: `${PERMANENT}/step-6000`, complete: true, permanent: true, recordedStep: 6000 },
      { step: 54000, path: `${PERMANENT}/step-54000`, complete: true, permanent: true, recordedStep: 54000 },
      { step: 58014, path: `${TEMPORARY}/step-58014`, complete: true, permanent: false, recordedStep: 58014 },
      { step: 108000, path: `${PERMANENT}/step-108000`, complete: false, permanent: false, recordedStep: null },
    ],
  });
});

test('F06: an empty list is an answer, and an empty answer is none', async () => {
  expect(await checkpoints(store({}))).toEqual({ known: [] });
  expect(await checkpoints(fakeCommand('exit 0'))).toEqual({
    unknown: 'unparsable',
    detail: 'nothing was printed: an empty answer is not an answer',
  });
});

test('a checkpoint is described by exactly its metadata', async () => {
  for (const text of [
    '{}',
    '{"step":6000,"timestamp":"t","is_temporary":"false"}',
    '{"step":6000,"timestamp":"t","is_temporary":false,"degraded":true}',
    '',
  ]) {
    expect(await checkpoints(store({ [`${PERMANENT}/step-6000/metadata.json`]: text })), text).toMatchObject({ unknown: 'unparsable' });
  }
});

test('a store that fails on one of the trees leaves all of them unknown', async () => {
  const half = fakeCommand('case "$2" in *checkpoints-temp*) echo "Traceback" >&2; exit 1;; *) echo "[]";; esac');

  expect(await checkpoints(half)).toEqual({ unknown: 'failed', detail: 'exit 1: Traceback' });
});
