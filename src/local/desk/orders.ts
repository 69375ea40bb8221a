import { z } from 'zod';
import type { Desk } from './desk.js';

const Choice = z.strictObject({ actionId: z.string().optional(), value: z.string().optional(), text: z.string().optional() });
const Filled = z.record(z.string(), z.string());
const Fault = z.strictObject({
  sink: z.enum(['slack', 'github']),
  method: z.string().optional(),
  kind: z.enum(['drop_after_write', 'drop_before_write', 'status']),
  status: z.int().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  error: z.string().optional(),
  times: z.int().min(1),
});
/** An order to a desk process: one JSON body of `POST /control`. */
export const Order = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('connectBot'), url: z.url() }),
  z.strictObject({ do: z.literal('showHarbour'), state: z.record(z.string(), z.json()) }),
  z.strictObject({ do: z.literal('connectCluster'), url: z.url(), token: z.string() }),
  z.strictObject({ do: z.literal('says'), userId: z.string(), text: z.string(), channelId: z.string().optional() }),
  z.strictObject({ do: z.literal('clicks'), userId: z.string(), ts: z.string(), choice: Choice, channelId: z.string().optional() }),
  z.strictObject({ do: z.literal('clicksOld'), userId: z.string(), message: z.record(z.string(), z.unknown()), choice: Choice }),
  z.strictObject({ do: z.literal('repeats'), delivery: z.looseObject({ form: z.record(z.string(), z.string()) }) }),
  z.strictObject({ do: z.literal('submits'), viewId: z.string(), filled: Filled }),
  z.strictObject({ do: z.literal('messages'), channelId: z.string().optional() }),
  z.strictObject({ do: z.literal('thread'), ts: z.string(), channelId: z.string().optional() }),
  z.strictObject({ do: z.literal('ephemerals'), userId: z.string() }),
  z.strictObject({ do: z.literal('views'), userId: z.string() }),
  z.strictObject({ do: z.literal('opensHome'), userId: z.string() }),
  z.strictObject({ do: z.literal('home'), userId: z.string() }),
  z.strictObject({
    do: z.literal('setAccount'),
    userId: z.string(),
    kind: z.enum(['member', 'guest', 'deactivated', 'other_team', 'missing']),
  }),
  z.strictObject({ do: z.literal('setGroup'), id: z.string(), users: z.array(z.string()) }),
  z.strictObject({ do: z.literal('issue') }),
  z.strictObject({ do: z.literal('fault'), fault: Fault }),
  z.strictObject({ do: z.literal('mend'), sink: z.enum(['slack', 'github']) }),
]);

/** See `Order`. */
export type DeskOrder = z.infer<typeof Order>;

/** Carries out an order, and answers what it is answered with. */
export async function obey(desk: Desk, order: DeskOrder): Promise<unknown> {
  switch (order.do) {
    case 'connectBot':
      return desk.connectBot(order.url);
    case 'showHarbour':
      return desk.showHarbour(order.state);
    case 'connectCluster':
      return desk.connectCluster(order.url, order.token);
    case 'says':
      return desk.says(order.userId, order.text, order.channelId);
    case 'clicks':
      return desk.clicks(order.userId, order.ts, order.choice, order.channelId);
    case 'clicksOld':
      return desk.clicksOld(order.userId, order.message, order.choice);
    case 'repeats':
      return desk.repeats(order.delivery);
    case 'submits':
      return desk.submits(order.viewId, order.filled);
    case 'messages':
      return desk.messages(order.channelId);
    case 'thread':
      return desk.thread(order.ts, order.channelId);
    case 'ephemerals':
      return desk.ephemerals(order.userId);
    case 'views':
      return desk.views(order.userId);
    case 'opensHome':
      return desk.opensHome(order.userId);
    case 'home':
      return desk.home(order.userId);
    case 'setAccount':
      return desk.setAccount(order.userId, order.kind);
    case 'setGroup':
      return desk.setGroup({ id: order.id, users: order.users });
    case 'issue':
      return desk.issue();
    case 'fault':
      return desk.fault(order.fault);
    case 'mend':
      return desk.mend(order.sink);
  }
}
