import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPROVER, ASKER } from '../../src/local/fleet.js';
import type { Harbour } from '../../src/local/harbour.js';
import type { Player } from '../../src/local/player.js';
import { openHarbour, whispers } from '../support/harbour.js';

let harbour: Harbour;
let player: Player;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ harbour, player, close } = await openHarbour());
});
afterAll(() => close());

test('F65: posts whose answers are lost are looked up, not repeated; a rate limit is waited for', async () => {
  await harbour.prepare('fast-a2a');
  const post = { sink: 'slack', method: 'chat.postMessage' } as const;
  await harbour.desk({ do: 'fault', fault: { ...post, kind: 'drop_after_write', times: 2 } });
  await harbour.desk({ do: 'fault', fault: { ...post, kind: 'status', status: 429, headers: { 'retry-after': '1' }, times: 1 } });
  await harbour.desk({ do: 'fault', fault: { sink: 'github', method: 'POST /comments', kind: 'drop_after_write', times: 2 } });
  await harbour.desk({ do: 'fault', fault: { sink: 'github', method: 'POST /comments', kind: 'status', status: 502, times: 1 } });

  await player.says(ASKER.id, '/hero-deploy plan gate="train_loss tracks within 0.01" reason="try the mirrors"');
  await player.reaches('hero-1', 'planned');
  await player.says(APPROVER.id, '/hero-deploy agree');
  await player.reaches('hero-1', 'agreed');
  await player.says(APPROVER.id, '/hero-deploy cancel hero-1');
  await player.reaches('hero-1', 'cancelled');
  await player.settled('hero-1');

  const { told, thread, issue } = await player.told('hero-1');
  expect(told).toEqual(['1', '2', '3']);
  expect(thread).toEqual(told);
  expect(issue).toEqual(told);
  const roots = await harbour.desk<{ metadata?: { event_payload?: { key?: string } } }[]>({ do: 'messages' });
  expect(roots.filter(({ metadata }) => metadata?.event_payload?.key?.startsWith('hero-1:card')).length).toBe(1);
});

test('both sinks down do not stop the protocol; afterwards both hold the same ordered list', async () => {
  const down = { kind: 'status', status: 503, error: 'service_unavailable', times: 1_000 } as const;
  // Slack still says who somebody is: whoever cannot be looked up for a minute opens nothing, and calls things off.
  for (const method of ['chat.postMessage', 'chat.update', 'conversations.replies', 'conversations.history', 'response_url']) {
    await harbour.desk({ do: 'fault', fault: { ...down, sink: 'slack', method } });
  }
  await harbour.desk({ do: 'fault', fault: { ...down, sink: 'github' } });
  await player.says(ASKER.id, '/hero-deploy plan gate="train_loss tracks within 0.01" reason="in the dark"');
  await player.reaches('hero-2', 'planned');
  await player.says(APPROVER.id, '/hero-deploy agree hero-2');
  await player.reaches('hero-2', 'agreed');

  await harbour.desk({ do: 'fault', fault: { ...down, sink: 'slack' } });
  await player.says(APPROVER.id, '/hero-deploy cancel hero-2');
  await player.reaches('hero-2', 'cancelled');

  await harbour.desk({ do: 'mend', sink: 'slack' });
  await harbour.desk({ do: 'mend', sink: 'github' });
  await player.settled('hero-2');

  const { told, thread, issue } = await player.told('hero-2');
  expect(told).toEqual(['1', '2', '3']);
  expect(thread).toEqual(told);
  expect(issue).toEqual(told);
});

test('F57: the same delivery twice acts once', async () => {
  const answered = (count: number) =>
    player.until('the answer', async () => ((await whispers(harbour, ASKER.id)).length >= count ? true : undefined));
  const before = (await whispers(harbour, ASKER.id)).length;
  const delivery = await harbour.desk<{ form: Record<string, string> }>({
    do: 'says',
    userId: ASKER.id,
    text: '/hero-deploy plan gate="train_loss tracks within 0.01" reason="twice"',
  });
  await player.reaches('hero-3', 'planned');
  await answered(before + 1);

  await harbour.desk({ do: 'repeats', delivery });
  await player.says(ASKER.id, '/hero-deploy list');
  await answered(before + 2);

  expect(player.operation('hero-4')).toBeUndefined();
});
