import type { Switches } from './switches.js';

/** What one machine of the region has, as Kubernetes counts it. */
const DEVICES_PER_NODE = '4';

/** The region's machines, one a task of a gang, as `kubectl get nodes` shows them. */
export function nodeItems(count: number, switches: Switches) {
  return Array.from({ length: count }, (_none, index) => {
    const isLast = index === count - 1;
    const isDown = isLast && switches.isOn('node_down');
    const isFull = isLast && switches.isOn('node_disk_full');
    return {
      metadata: { name: `node-${String(index).padStart(2, '0')}`, labels: { pool: 'hero' } },
      spec: isFull ? { taints: [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }] } : {},
      status: {
        allocatable: { cpu: '64', memory: '512Gi', 'nvidia.com/gpu': DEVICES_PER_NODE },
        conditions: [
          { type: 'DiskPressure', status: isFull ? 'True' : 'False' },
          { type: 'Ready', status: isDown ? 'Unknown' : 'True' },
        ],
      },
    };
  });
}
