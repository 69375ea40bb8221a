import { z } from 'zod';
import type { ClusterNode, Reads } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import { parseJson, quoted } from './frames.js';
import { goesOn, ListMetadata } from './kubernetes.js';
import type { Outside } from './outside.js';
import { notUnderstood, type Parsed, understood } from './question.js';

/** A node prints some ten kilobytes: its images and conditions. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** A taint of Kubernetes' own keeps a gang off a node; others, such as those of the devices, are tolerated by it. */
const OWN_TAINTS = 'node.kubernetes.io/';
/** Told by its condition: the guard of the disk speaks of it. */
const DISK_TAINT = 'node.kubernetes.io/disk-pressure';

// The frame is strict; what is inside a node is Kubernetes', has hundreds of fields, and only these are used.
const NodeList = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.enum(['List', 'NodeList']),
  metadata: ListMetadata.optional(),
  items: z.array(
    z.looseObject({
      metadata: z.looseObject({ name: z.string().min(1) }),
      spec: z.looseObject({
        unschedulable: z.boolean().optional(),
        taints: z.array(z.looseObject({ key: z.string(), effect: z.string() })).optional(),
      }),
      status: z.looseObject({
        conditions: z.array(z.looseObject({ type: z.string(), status: z.enum(['True', 'False', 'Unknown']) })),
        allocatable: z.record(z.string(), z.string()),
      }),
    }),
  ),
});
type Item = z.infer<typeof NodeList>['items'][number];

/** The nodes that have devices of the fleet file's kind, with what Kubernetes says of their health. */
export function readNodes(outside: Outside, { family }: Reads['nodes']['args']): Promise<Reading<readonly ClusterNode[]>> {
  const { selector, device } = outside.clusterOf(family).nodes;
  return outside.ask({
    name: 'kubectl get nodes',
    command: outside.commands.kubectl,
    args: ['get', 'nodes', ...(selector === undefined ? [] : ['--selector', selector]), '--output', 'json'],
    outputBytesMax: OUTPUT_BYTES_MAX,
    parse: (stdout) => parseNodes(stdout, device),
  });
}

function parseNodes(stdout: string, device: string): Parsed<readonly ClusterNode[]> {
  const list = parseJson(stdout, NodeList);
  if (list.kind === 'not_understood') return list;
  if (goesOn(list.value.metadata)) return notUnderstood('truncated', 'the list goes on');
  const nodes: ClusterNode[] = [];
  for (const item of list.value.items) {
    const node = parseNode(item, device);
    if (node.kind === 'not_understood') return node;
    if (nodes.some(({ name }) => name === node.value.name)) return notUnderstood('inconsistent', `node ${node.value.name} is listed twice`);
    if (node.value.devices > 0) nodes.push(node.value);
  }
  return understood(nodes);
}

function parseNode({ metadata: { name }, spec, status }: Item, device: string): Parsed<ClusterNode> {
  const condition = (type: string) => status.conditions.filter((each) => each.type === type);
  const [ready, ...more] = condition('Ready');
  if (ready === undefined || more.length > 0) return notUnderstood('unparsable', `${more.length + 1} conditions "Ready" of node ${name}`);
  const quantity = status.allocatable[device] ?? '0';
  if (!/^\d{1,4}$/.test(quantity)) return notUnderstood('unparsable', `${quoted(quantity)} of ${device} on node ${name}`);
  const keptFree = (spec.taints ?? []).some(
    ({ key, effect }) => key.startsWith(OWN_TAINTS) && key !== DISK_TAINT && effect !== 'PreferNoSchedule',
  );
  return understood({
    name,
    ready: ready.status === 'True',
    schedulable: spec.unschedulable !== true && !keptFree,
    // A node that does not say how its disk is has no disk that may be called well.
    diskPressure: condition('DiskPressure').some((each) => each.status !== 'False'),
    devices: Number(quantity),
  });
}
