import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gist, registryOf } from './asking.js';
import { fakeFleet, fakeReply, temporaryFolder } from './fake-command.js';

test('the room on the disk of our record is told with what is needed; a folder that is not there is no room', async () => {
  const data = temporaryFolder();

  expect(gist(await registryOf({ ...fakeFleet({}), data, dataFreeMegabytes: 7 }).read('free_space', { family: 'hero' }))).toEqual({
    known: { folder: data, freeBytes: expect.any(Number), neededBytes: 7_000_000 },
  });
  expect(gist(await registryOf(fakeFleet({})).read('free_space', { family: 'hero' }))).toMatchObject({ unknown: 'failed' });
});

test('a copy of a checkpoint is compared object by object', async () => {
  const from = 's3://hero/a/step-54000';
  const copy = 's3://kept/a/step-54000';
  const objects = (root: string, sizes: Readonly<Record<string, number>>) =>
    JSON.stringify(Object.entries(sizes).map(([name, size]) => ({ key: `${root}/${name}`, size })));
  const compare = async (answers: Readonly<Record<string, string>>) => {
    const text = (root: string): string => answers[root] ?? '[]';
    const fake = fakeReply('');
    // One executable that answers by the prefix it is asked about.
    const script = `#!/usr/bin/env bash\ncase "$2" in ${from}/) printf '%s' '${text(from)}';; ${copy}/) printf '%s' '${text(copy)}';; esac\n`;
    writeFileSync(fake.path, script);
    return gist(await registryOf(fakeFleet({ objectstore: fake })).read('checkpoint_copy', { family: 'hero', from, copy }));
  };
  const whole = { 'metadata.json': 90, 'params/0': 10, 'params/1': 20 };

  expect(await compare({ [from]: objects(from, whole), [copy]: objects(copy, { ...whole, 'metadata.json': 95, extra: 1 }) })).toEqual({
    known: { objects: 3, different: [] },
  });
  expect(await compare({ [from]: objects(from, whole), [copy]: objects(copy, { 'params/0': 10, 'params/1': 21 }) })).toEqual({
    known: { objects: 3, different: ['metadata.json', 'params/1'] },
  });
  expect(await compare({ [from]: objects(from, whole) })).toMatchObject({
    known: { different: ['metadata.json', 'params/0', 'params/1'] },
  });
  expect(await compare({ [copy]: objects(copy, whole) })).toMatchObject({ unknown: 'inconsistent' });
  expect(await compare({ [from]: objects(copy, whole), [copy]: objects(copy, whole) })).toMatchObject({ unknown: 'inconsistent' });
  expect(await compare({ [from]: '', [copy]: objects(copy, whole) })).toMatchObject({ unknown: 'unparsable' });
});
