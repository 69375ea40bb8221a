import { expect, test } from 'vitest';
import { isLabelOfRun, isPodNameOfRun } from '../../src/adapters/run-pods.js';
import { labelValue, podName } from '../../src/local/cluster/pods.js';
import { gist, registryOf } from './asking.js';
import { fakeFleet, fakeReply } from './fake-command.js';

const RUN = 'hero-ragged_a2a-ep-step54k';

test.each([
  ['/marin', `${RUN}-coord-1a2b3c4d`],
  ['/alice', `${RUN}-coord`],
  ['/bob.b', `${RUN}-coord-99999999`],
])('F13: pods of any coordinator of the run are found, of its gang too: %s/%s', (user, coordinator) => {
  const jobId = `${user}/${coordinator}`;
  const gang = `${jobId}/grug-train-${RUN}`;

  for (const wire of [jobId, gang]) expect(isLabelOfRun(labelValue(wire), RUN), labelValue(wire)).toBe(true);
  for (const task of [`${jobId}/0`, `${gang}/17`]) expect(isPodNameOfRun(podName(task, 3), RUN), podName(task, 3)).toBe(true);
});

test('F13: a run whose name begins alike, and what is no hero, are not found', () => {
  for (const other of ['hero-ragged_a2a-ep-step54', 'hero-ragged_a2a-ep-step54k2', 'hero-x']) {
    const jobId = `/marin/${other}-coord-1a2b3c4d`;
    expect(isLabelOfRun(labelValue(jobId), RUN), other).toBe(false);
    expect(isPodNameOfRun(podName(`${jobId}/0`, 0), RUN), other).toBe(false);
  }
  expect(isPodNameOfRun('iris-marin-canary-d4a8dceb-0', RUN)).toBe(false);
});

test('F13: a label that is cut in the middle of the run id may be anybody’s that begins so, and counts', () => {
  const long = `hero-${'a'.repeat(70)}-step54k`;
  const jobId = `/marin/${long}-coord-1a2b3c4d`;

  expect(isLabelOfRun(labelValue(jobId), long)).toBe(true);
  expect(isPodNameOfRun(podName(`${jobId}/0`, 0), long)).toBe(true);
});

test('the answer is read like that to any question about pods: no list is no answer', async () => {
  const read = async (text: string) =>
    gist(await registryOf(fakeFleet({ kubectl: fakeReply(text) })).read('run_pods', { family: 'hero', runId: RUN }));
  const pod = (label: string) => ({ metadata: { name: 'p', labels: { 'iris.job_id': label } }, status: { phase: 'Running' } });
  const list = (...items: readonly unknown[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

  expect(await read(list(pod(`marin.${RUN}-coord-1`), pod('marin.hero-x-coord-1')))).toEqual({
    known: [{ name: 'p', phase: 'Running', terminating: false }],
  });
  expect(await read(list())).toEqual({ known: [] });
  for (const text of ['', '{}', 'NAME\n']) expect(await read(text), text).toMatchObject({ unknown: 'unparsable' });
});
