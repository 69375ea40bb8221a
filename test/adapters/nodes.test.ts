import { expect, test } from 'vitest';
import type { Fleet } from '../../src/fleet.js';
import { gist, registryOf } from './asking.js';
import { fakeFleet, fakeReply } from './fake-command.js';

const READY = [
  { type: 'DiskPressure', status: 'False' },
  { type: 'Ready', status: 'True' },
];

function item(name: string, { spec = {}, conditions = READY, gpus = '4' as string | null } = {}) {
  const allocatable = { cpu: '64', ...(gpus === null ? {} : { 'nvidia.com/gpu': gpus }) };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: {} }, spec, status: { conditions, allocatable, nodeInfo: {} } };
}

async function nodes(items: readonly unknown[] | string, change: (fleet: Fleet) => Fleet = (fleet) => fleet) {
  const text = typeof items === 'string' ? items : JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: {}, items });
  const kubectl = fakeReply(text);
  const reading = gist(await registryOf(change(fakeFleet({ kubectl }))).read('nodes', { family: 'hero' }));
  return { reading, calls: kubectl.calls() };
}

test('nodes with devices are told with their health; those without are none of ours', async () => {
  const tainted = (key: string, effect = 'NoSchedule') => ({ spec: { taints: [{ key, effect }] } });
  const { reading, calls } = await nodes([
    item('well'),
    item('cordoned', { spec: { unschedulable: true } }),
    item('lost', { conditions: [{ type: 'Ready', status: 'Unknown' }] }),
    item('unreachable', tainted('node.kubernetes.io/unreachable', 'NoExecute')),
    item('tolerated', tainted('nvidia.com/gpu')),
    item('full', {
      ...tainted('node.kubernetes.io/disk-pressure'),
      conditions: [{ type: 'DiskPressure', status: 'True' }, ...READY.slice(1)],
    }),
    item('controller', { gpus: null }),
  ]);

  const well = { ready: true, schedulable: true, diskPressure: false, devices: 4 };
  expect(calls).toEqual([['get', 'nodes', '--output', 'json']]);
  expect(reading).toEqual({
    known: [
      { name: 'well', ...well },
      { name: 'cordoned', ...well, schedulable: false },
      { name: 'lost', ...well, ready: false },
      { name: 'unreachable', ...well, schedulable: false },
      { name: 'tolerated', ...well },
      { name: 'full', ...well, diskPressure: true },
    ],
  });
});

test('the selector of the fleet file narrows the question', async () => {
  const { calls } = await nodes([], (fleet) => {
    const [cluster] = Object.values(fleet.clusters);
    return cluster === undefined
      ? fleet
      : { ...fleet, clusters: { east: { ...cluster, nodes: { selector: 'pool=hero', device: 'x/y' } } } };
  });

  expect(calls).toEqual([['get', 'nodes', '--selector', 'pool=hero', '--output', 'json']]);
});

test('a node that does not say whether it is ready, or how many devices it has, blinds the whole answer', async () => {
  const bad: readonly unknown[] = [
    item('n', { conditions: [] }),
    item('n', { conditions: [...READY, { type: 'Ready', status: 'False' }] }),
    item('n', { conditions: [{ type: 'Ready', status: 'Maybe' }] }),
    item('n', { gpus: 'four' }),
    item('n', { gpus: '-4' }),
    { metadata: { name: 'n' } },
  ];

  for (const each of bad)
    expect((await nodes([item('well'), each])).reading, JSON.stringify(each)).toMatchObject({ unknown: 'unparsable' });
  expect((await nodes([item('twin'), item('twin')])).reading).toMatchObject({ unknown: 'inconsistent' });
  expect((await nodes('{"apiVersion":"v1","kind":"List","metadata":{"continue":"x"},"items":[]}')).reading).toMatchObject({
    unknown: 'truncated',
  });
  for (const text of ['', 'NAME STATUS\n', '[]', '{"apiVersion":"v1","kind":"List"}'])
    expect((await nodes(text)).reading, text).toMatchObject({ unknown: 'unparsable' });
});
