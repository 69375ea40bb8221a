import { expect, test } from 'vitest';
import { gist, registryOf } from './asking.js';
import { fakeFleet, fakeReply } from './fake-command.js';

const JOB = '/marin/hero-ragged_a2a-ep-step54k-coord-1a2b3c4d';

function pod(name: string, label: string | undefined, more: { phase?: string; deletionTimestamp?: string } = {}) {
  const { phase = 'Running', deletionTimestamp } = more;
  const labels = { 'iris.managed': 'true', ...(label === undefined ? {} : { 'iris.job_id': label }) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'iris-jobs', labels, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: { nodeName: 'n1' },
    status: { phase, podIP: '10.0.0.1' },
  };
}

async function pods(items: readonly unknown[] | string, jobId = JOB) {
  const text =
    typeof items === 'string' ? items : JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items });
  const kubectl = fakeReply(text);
  const reading = gist(await registryOf(fakeFleet({ kubectl })).read('pods', { family: 'hero', jobId }));
  return { reading, calls: kubectl.calls() };
}

test('F13: pods of the coordinator and of its gang are found by cut labels, never by the raw run id', async () => {
  const { reading, calls } = await pods([
    pod('iris-marin-hero-ragged-a2a-ep-step54k-coord-1a2b3c4d-0-aabbccdd-0', 'marin.hero-ragged_a2a-ep-step54k-coord-1a2b3c4d'),
    pod(
      'iris-marin-hero-ragged-a2a-ep-step54k-coord-1a2b3c4d-d4a8dcea-0',
      'marin.hero-ragged_a2a-ep-step54k-coord-1a2b3c4d.grug-train-hero',
      { deletionTimestamp: '2026-09-20T23:00:00Z' },
    ),
    pod('iris-marin-hero-ragged-a2a-ep-step54k-coord-1a2b3c4d-d4a8dceb-1', undefined, { phase: 'Pending' }),
    pod('iris-marin-hero-ragged-a2a-ep-step54k-coord-99999999-d4a8dcec-0', 'marin.hero-ragged_a2a-ep-step54k-coord-99999999'),
    pod('iris-marin-hero-other-d4a8dced-0', undefined),
  ]);

  expect(calls).toEqual([['get', 'pods', '--namespace', 'iris-jobs', '--selector', 'iris.managed=true', '--output', 'json']]);
  expect(reading).toEqual({
    known: [
      { name: 'iris-marin-hero-ragged-a2a-ep-step54k-coord-1a2b3c4d-0-aabbccdd-0', phase: 'Running', terminating: false },
      { name: 'iris-marin-hero-ragged-a2a-ep-step54k-coord-1a2b3c4d-d4a8dcea-0', phase: 'Running', terminating: true },
      { name: 'iris-marin-hero-ragged-a2a-ep-step54k-coord-1a2b3c4d-d4a8dceb-1', phase: 'Pending', terminating: false },
    ],
  });
});

test('F13: a label cut in the middle of the coordinator still names it, and a run whose name begins alike does not', async () => {
  const long = `/marin/hero-${'a'.repeat(60)}-step54k-coord-1a2b3c4d`;
  const cut = `marin.hero-${'a'.repeat(60)}`.slice(0, 63);

  expect((await pods([pod('p', cut)], long)).reading).toMatchObject({ known: [{ name: 'p' }] });
  expect((await pods([pod('p', 'marin.hero-main-step121638-coord-1')], '/marin/hero-main-step121-coord-1')).reading).toEqual({ known: [] });
  expect((await pods([pod('p', 'marin.hero-x-coord-12.grug-train-hero-x')], '/marin/hero-x-coord-1')).reading).toEqual({ known: [] });
});

test('no items is none; nothing printed, a header or another layout is not', async () => {
  expect((await pods([])).reading).toEqual({ known: [] });
  for (const text of [
    '',
    'NAME READY STATUS\n',
    'No resources found in iris-jobs namespace.\n',
    '[]',
    '{"apiVersion":"v1","kind":"List"}',
  ]) {
    expect((await pods(text)).reading, text).toMatchObject({ unknown: 'unparsable' });
  }
  expect((await pods('{"apiVersion":"v1","kind":"List","metadata":{"continue":"abc"},"items":[]}')).reading).toMatchObject({
    unknown: 'truncated',
  });
});

test('a phase that Kubernetes does not have is quoted, for our pods only', async () => {
  const odd = pod('p', 'marin.hero-ragged_a2a-ep-step54k-coord-1a2b3c4d', { phase: 'Frozen' });

  expect((await pods([odd])).reading).toEqual({ unknown: 'unlisted_state', detail: 'phase "Frozen" of pod p' });
  expect((await pods([odd], '/marin/hero-x-coord-1')).reading).toEqual({ known: [] });
});

test('F13: an empty label names no job: the pod is told by its name', async () => {
  const name = 'iris-marin-hero-ragged-a2a-ep-step54k-coord-1a2b3c4d-d4a8dceb-1';

  expect((await pods([pod(name, '')])).reading).toMatchObject({ known: [{ name }] });
  expect((await pods([pod('iris-marin-hero-other-d4a8dced-0', '')])).reading).toEqual({ known: [] });
});

test('a list of which pods are left is cut, with a token or without one', async () => {
  const listOf = (metadata: object) => JSON.stringify({ apiVersion: 'v1', kind: 'PodList', metadata, items: [] });

  expect((await pods(listOf({ remainingItemCount: 5 }))).reading).toMatchObject({ unknown: 'truncated' });
  expect((await pods(listOf({ continue: 'x', remainingItemCount: 5 }))).reading).toMatchObject({ unknown: 'truncated' });
  expect((await pods(listOf({ continue: '', remainingItemCount: 0 }))).reading).toEqual({ known: [] });
});
