import { z } from 'zod';
import type { Pod, Reads } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import { Batching, partOf } from './batching.js';
import { checkedJobId } from './binding.js';
import { parseJson, quoted } from './frames.js';
import { isLabelOf, isPodNameOf } from './job-name.js';
import type { Outside } from './outside.js';
import { notUnderstood, type Parsed, understood } from './question.js';

/** 704 devices are some 176 pods; each prints a few kilobytes. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Kubernetes' own phases; `Unknown` means that the node does not answer. */
const PHASES = new Set(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']);

/** What Kubernetes says of a list as a whole. */
export const ListMetadata = z.looseObject({ continue: z.string().optional(), remainingItemCount: z.int().nullish() });

/** Whether a list is one page of several: it says so by a token, by a count of what is left, or by both. */
export function goesOn(metadata: z.infer<typeof ListMetadata> | undefined): boolean {
  return (metadata?.continue ?? '') !== '' || (metadata?.remainingItemCount ?? 0) !== 0;
}

// The frame is strict; what is inside a pod is Kubernetes', has hundreds of fields, and only these are used.
const PodList = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.enum(['List', 'PodList']),
  metadata: ListMetadata.optional(),
  items: z.array(
    z.looseObject({
      metadata: z.looseObject({
        name: z.string().min(1),
        labels: z.record(z.string(), z.string()).optional(),
        deletionTimestamp: z.string().nullish(),
      }),
      status: z.looseObject({ phase: z.string() }),
    }),
  ),
});

/**
 * The pods of a job and of its children, by label; a pod without the label by its name. Never by the raw run id, which
 * neither holds as it is. Source: contracts/iris-and-ferries.md 2.
 */
export function readPods(outside: Outside, { family, jobId }: Reads['pods']['args']): Promise<Reading<readonly Pod[]>> {
  checkedJobId(jobId);
  return askPods(outside, family, (name, label) => (label === undefined ? isPodNameOf(name, jobId) : isLabelOf(label, jobId)));
}

/** The scheduler's pods that are meant, told by name and by the label of their job; a pod may lack the label. */
export function askPods(
  outside: Outside,
  family: string,
  isMeant: (name: string, label: string | undefined) => boolean,
): Promise<Reading<readonly Pod[]>> {
  return PODS.read(outside, outside.clusterOf(family).namespace, isMeant);
}

type IsMeant = Parameters<typeof askPods>[2];

const PODS = new Batching<IsMeant, readonly Pod[]>(async (outside, namespace, parts) => {
  const list = await outside.ask({
    name: 'kubectl get pods',
    command: outside.commands.kubectl,
    args: ['get', 'pods', '--namespace', namespace, '--selector', 'iris.managed=true', '--output', 'json'],
    outputBytesMax: OUTPUT_BYTES_MAX,
    parse: parsePods,
  });
  return parts.map((isMeant) => (list.kind === 'unknown' ? list : partOf(list, podsAmong(list.value, isMeant), outside.scrub)));
});

function parsePods(stdout: string): Parsed<z.infer<typeof PodList>['items']> {
  const list = parseJson(stdout, PodList);
  if (list.kind === 'not_understood') return list;
  return goesOn(list.value.metadata) ? notUnderstood('truncated', 'the list goes on') : understood(list.value.items);
}

function podsAmong(items: z.infer<typeof PodList>['items'], isMeant: IsMeant): Parsed<readonly Pod[]> {
  const pods: Pod[] = [];
  for (const { metadata, status } of items) {
    // An empty label names no job: such a pod is told by its name, like one without the label.
    if (!isMeant(metadata.name, metadata.labels?.['iris.job_id'] || undefined)) continue;
    if (!PHASES.has(status.phase)) return notUnderstood('unlisted_state', `phase ${quoted(status.phase)} of pod ${metadata.name}`);
    const terminating = metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
    pods.push({ name: metadata.name, phase: status.phase, terminating });
  }
  return understood(pods);
}
