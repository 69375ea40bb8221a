import { parseButtonValue } from '../../src/render/message.js';
import { NEW_RUN, OLD_RUN } from '../support/plan.js';
import { CHANNEL } from './fleet.js';
import { APPROVER, ON_CALL, PEOPLE, REQUESTER } from './mentions.js';
import type { Arrival, Scene } from './scene.js';
import { RESPOND, type Slack } from './slack.js';

/** How likely a person presses a button that is on a card, by what it asks for. */
const LIKING: Readonly<Record<string, number>> = {
  agree: 12,
  preflight: 12,
  approve: 9,
  go: 8,
  launch_again: 3,
  rollback: 2,
  no_go: 1,
  recheck: 1,
  retry_cancel: 3,
  adopt: 4,
  declare_gone: 2,
  called_off: 2,
  confirm_anchor: 4,
  close_unverified: 1,
  cancel: 0.3,
  abort: 0.6,
  reject: 0.4,
  leave_down: 0.6,
  abandon: 0.3,
  take: 0.4,
  hand: 0.2,
};

/** What calls a swap off, or only asks: in half of the seeds people hardly do, so that swaps get to their end. */
const DISTRACTS: ReadonlySet<string> = new Set([
  'rollback',
  'no_go',
  'cancel',
  'abort',
  'reject',
  'leave_down',
  'abandon',
  'take',
  'hand',
  'close_unverified',
]);

const HOSTILE = 'faster &lt;!channel&gt; ping @everyone &lt;@U0EVIL00001&gt; #1 `x` *b* @marin';
const PLAN = `plan reason="${HOSTILE}" gate="train_loss tracks within 0.01"`;
const FAILS = ['', ' fail=ask', ' fail=automatic', ' fail=ask:60'] as const;

/** What people do in a channel: they mostly press what is there, sometimes what was there, and type now and then. */
export class People {
  private count = 0;
  private readonly steady: boolean;
  private readonly seen: { readonly actionId: string; readonly value: string }[] = [];

  constructor(
    private readonly scene: Scene,
    private readonly slack: Slack,
    private readonly deliver: (arrival: Arrival, body: Record<string, unknown>) => void,
  ) {
    this.steady = scene.dice.chance(0.5);
  }

  /** Somebody does something. */
  act(): void {
    const { dice } = this.scene;
    const cards = this.slack.cards();
    const wanted = cards.length === 0 || dice.chance(cards[0]?.buttons.length === 0 ? 0.4 : this.steady ? 0 : 0.01);
    if (wanted) {
      this.type(REQUESTER, PLAN + dice.pick(FAILS));
      return;
    }
    if (dice.chance(this.steady ? 0.03 : 0.12)) {
      this.typeSomething();
      return;
    }
    const old = dice.chance(0.08) ? dice.any(this.seen) : undefined;
    const button = old ?? this.choose(cards.flatMap(({ buttons }) => buttons));
    if (button === undefined) return;
    this.seen.push(button);
    const by = this.whoFor(parseButtonValue(button.value)?.action ?? '');
    this.press(by, button);
    if (dice.chance(0.06))
      this.press(dice.pick(PEOPLE), dice.chance(0.5) ? button : (this.choose(cards.flatMap(({ buttons }) => buttons)) ?? button));
  }

  /** They press what brings on what they want, again when nothing came of it, and nothing else. */
  goStraight(wants: 'swap' | 'rollback'): void {
    const [card] = this.slack.cards();
    if (card === undefined) {
      this.type(REQUESTER, PLAN);
      return;
    }
    const wanted =
      wants === 'swap' ? ['agree', 'preflight', 'approve', 'go', 'launch_again'] : ['agree', 'preflight', 'approve', 'rollback'];
    const button = card.buttons.find(({ value }) => wanted.includes(parseButtonValue(value)?.action ?? ''));
    if (button !== undefined) this.press(APPROVER, button);
  }

  private choose(buttons: readonly { readonly actionId: string; readonly value: string }[]) {
    const weights = buttons.map(({ value }) => {
      const action = parseButtonValue(value)?.action ?? '';
      return (LIKING[action] ?? 0.1) * (this.steady && DISTRACTS.has(action) ? 0.05 : 1);
    });
    let at = this.scene.dice.next() * weights.reduce((sum, weight) => sum + weight, 0);
    return buttons.find((_button, index) => {
      at -= weights[index] ?? 0;
      return at < 0;
    });
  }

  private whoFor(action: string): string {
    const { dice } = this.scene;
    if (dice.chance(0.12)) return dice.pick(PEOPLE);
    return action === 'agree' || action === 'approve' || action === 'retry_cancel'
      ? APPROVER
      : dice.pick([REQUESTER, APPROVER, ON_CALL, APPROVER]);
  }

  private typeSomething(): void {
    const { dice, cluster } = this.scene;
    const job = dice.any(cluster.jobs);
    const pods = cluster.jobs.flatMap((each) => each.pods(this.scene.agenda.nowMs).map(({ name }) => name));
    const lines: readonly [string, ...string[]] = [
      'status',
      'list',
      'hand',
      'brief',
      'launch',
      'launch not-after=23:59',
      'cancel',
      'rollback reason="enough"',
      'no-go reason="&lt;!here&gt; no"',
      'go',
      'override reason="we know @all"',
      'extend',
      `adopt job=${job?.jobId ?? '/marin/none'}`,
      `declare-gone pods=${pods.slice(0, 6).join(',')}`,
      'declare-gone',
      'retry-cancel',
      'called-off',
      'confirm-anchor step=54000',
      'close-unverified',
      'leave-down reason="night"',
      'abandon',
      'take',
      'recheck',
      'preflight',
      'agree',
      'reject',
      'revise reason="again"',
      `revise new=${NEW_RUN.replace('fast', 'other')}`,
      `plan old=${OLD_RUN} reason="two" gate="train_loss tracks within 0.01"`,
      'nonsense',
      'cancel “x',
    ];
    const operation = dice.chance(0.3) ? ` hero-${1 + Math.floor(dice.next() * 3)}` : '';
    const [verb = '', ...rest] = dice.pick(lines).split(' ');
    this.type(this.whoFor(verb === 'launch' ? 'approve' : verb), `${verb}${operation} ${rest.join(' ')}`.trim());
  }

  type(by: string, text: string): void {
    const arrival = this.arrival(by, text, /(hero-[0-9]+)( |$)/.exec(text)?.[1] ?? null);
    this.deliver(arrival, {
      command: '/hero-deploy',
      text,
      user_id: by,
      channel_id: CHANNEL,
      team_id: 'T1',
      token: 'verification',
      trigger_id: arrival.id,
      response_url: `${RESPOND}${arrival.id}`,
    });
  }

  press(by: string, { actionId, value }: { readonly actionId: string; readonly value: string }): void {
    const arrival = this.arrival(by, value, parseButtonValue(value)?.operationId ?? null);
    this.deliver(arrival, {
      type: 'block_actions',
      user: { id: by, team_id: 'T1' },
      team: { id: 'T1', domain: 'simulated' },
      channel: { id: CHANNEL, name: 'hero-ops' },
      token: 'verification',
      trigger_id: arrival.id,
      response_url: `${RESPOND}${arrival.id}`,
      actions: [{ type: 'button', action_id: actionId, block_id: 'b', value, action_ts: `${this.scene.agenda.nowMs / 1000}` }],
    });
  }

  private arrival(by: string, what: string, operationId: string | null): Arrival {
    const id = `t${++this.count}`;
    const arrival: Arrival = { id, by, what, operationId, askedMs: this.scene.agenda.nowMs, deliveredMs: null, acknowledged: false };
    this.scene.arrivals.set(id, arrival);
    this.scene.tell(`${by} (${id}): ${what}`);
    return arrival;
  }
}
