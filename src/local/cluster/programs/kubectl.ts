import { nodeItems } from '../node-list.js';
import type { Pods } from '../pods.js';
import type { Switches } from '../switches.js';
import { type Answer, type Call, failed, ok } from './call.js';
import { parseOptions } from './options.js';

/** The namespace in which the scheduler's pods live. */
export const NAMESPACE = 'iris';

/** `kubectl get pods|nodes … --output json`, with equality selectors. */
export function kubectl(context: { readonly pods: Pods; readonly switches: Switches; readonly nodes: number }, call: Call): Answer {
  const parsed = parseOptions(call.argv, {
    '--namespace': 'value',
    '-n': 'value',
    '--selector': 'value',
    '-l': 'value',
    '--output': 'value',
    '-o': 'value',
    '--request-timeout': 'value',
  });
  if (typeof parsed === 'string')
    return failed(`error: unknown flag: ${parsed.replace('No such option: ', '')}\nSee 'kubectl get --help' for usage.`);
  const { values, rest } = parsed;
  const isNodes = ['nodes', 'node', 'no'].includes(rest[1] ?? '');
  if (rest[0] !== 'get' || !(isNodes || ['pods', 'pod', 'po'].includes(rest[1] ?? '')))
    return failed(`error: unknown command "${rest.join(' ')}" for "kubectl"`);
  if ((values.get('--output') ?? values.get('-o')) !== 'json') return failed('error: only --output json is simulated');
  if (context.switches.isOn('kubernetes_down')) {
    return failed('The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?');
  }
  const wanted = (values.get('--selector') ?? values.get('-l') ?? '').split(',').filter((term) => term !== '');
  if (isNodes) {
    const named = nodeItems(context.nodes, context.switches).filter(({ metadata }) =>
      wanted.every((term) => matches(metadata.labels, term)),
    );
    return ok(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: named }, null, 4)}\n`);
  }
  const namespace = values.get('--namespace') ?? values.get('-n') ?? 'default';
  const pods = namespace === NAMESPACE && !context.switches.isOn('pods_unseen') ? context.pods.all() : [];
  const items = pods
    .filter((pod) => wanted.every((term) => matches(pod.labels, term)))
    .map((pod) => ({
      metadata: {
        name: pod.name,
        labels: pod.labels,
        ...(pod.deletedAtMs === null ? {} : { deletionTimestamp: new Date(pod.deletedAtMs).toISOString().replace(/\.\d+Z$/, 'Z') }),
      },
      status: { phase: pod.phase },
    }));
  return ok(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 4)}\n`);
}

function matches(labels: Readonly<Record<string, string>>, term: string): boolean {
  const [key = '', value = ''] = term.split(/==?/, 2);
  return labels[key] === value;
}
