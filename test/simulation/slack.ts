import type { Life } from './life.js';
import { strangersMentioned } from './mentions.js';
import type { Scene } from './scene.js';

export interface Button {
  readonly actionId: string;
  readonly value: string;
}

interface Posted {
  readonly ts: string;
  readonly root: string | null;
  readonly key: string;
  text: string;
  buttons: readonly Button[];
  metadata: unknown;
  deleted: boolean;
}

/** What Slack holds of one channel, and how it fails. It is asked over the real client's `fetch`. */
export class Slack {
  readonly messages: Posted[] = [];
  /** What people were answered, by the id of their arrival. */
  readonly answers = new Map<string, string[]>();
  /** Titles of the files that were shared. */
  private readonly shared: { readonly root: string; readonly title: string }[] = [];
  downUntilMs = 0;
  private count = 0;

  constructor(
    private readonly scene: Scene,
    private readonly onLine: (key: string) => void,
  ) {}

  /** The wire of one life of the bot. */
  wire(life: Life): typeof fetch {
    return async (input, init) => {
      const { scene } = this;
      const who = this.lookUp(`${input}`, new URLSearchParams(`${init?.body}`));
      if (who !== null) return who;
      scene.activity++;
      life.pass('before a fetch');
      // On its way it reaches the other side even if the bot dies meanwhile; no bot is back sooner than that.
      if (scene.strikes('slow_sinks', 0.2)) await scene.agenda.delay(scene.dice.between(50, 900));
      const url = `${input}`;
      const answer =
        url === UPLOAD
          ? new Response('OK')
          : url.startsWith(RESPOND)
            ? this.respond(url, `${init?.body}`)
            : this.call(url, new URLSearchParams(`${init?.body}`));
      life.pass('after a fetch');
      if (scene.strikes('slack_limits', 0.1)) await life.while(scene.agenda.delay(scene.dice.between(50, 1_500)));
      scene.activity++;
      if (answer === 'dropped') throw new TypeError('fetch failed');
      return answer;
    };
  }

  /** Who somebody is. It only reads: it fails while Slack is down, and takes no throw of the dice. */
  private lookUp(url: string, parameters: URLSearchParams): Response | null {
    if (!url.endsWith('/auth.test') && !url.endsWith('/users.info')) return null;
    if (!this.scene.calm && this.scene.agenda.nowMs < this.downUntilMs) throw new TypeError('fetch failed');
    const rights = { deleted: false, is_restricted: false, is_ultra_restricted: false };
    return json({ ok: true, team_id: 'T1', user: { team_id: 'T1', real_name: parameters.get('user'), ...rights } });
  }

  private call(url: string, parameters: URLSearchParams): Response | 'dropped' {
    const { scene } = this;
    if (!scene.calm && scene.agenda.nowMs < this.downUntilMs) return 'dropped';
    if (scene.strikes('slack_limits', 0.08)) {
      return new Response('{"ok":false}', { status: 429, headers: { 'retry-after': `${Math.ceil(scene.dice.between(1, 20))}` } });
    }
    const drop = scene.strikes('slack_drops', 0.12) ? scene.dice.pick(['before', 'after', 'half', 'fault']) : null;
    if (drop === 'before') return 'dropped';
    const body = this.method(url.slice(url.lastIndexOf('/') + 1), parameters);
    if (drop === 'after') return 'dropped';
    if (drop === 'half') return new Response('Service Unavailable', { status: 503 });
    if (drop === 'fault') return json({ ok: false, error: 'internal_error' });
    return json(body);
  }

  private method(name: string, parameters: URLSearchParams): object {
    const ts = parameters.get('ts') ?? '';
    switch (name) {
      case 'chat.postMessage':
        return this.post(parameters);
      case 'chat.update': {
        const message = this.messages.find((each) => each.ts === ts);
        if (message === undefined || message.deleted) return { ok: false, error: 'message_not_found' };
        this.write(message, parameters);
        return { ok: true, ts };
      }
      case 'files.getUploadURLExternal':
        return { ok: true, upload_url: UPLOAD, file_id: 'F1' };
      case 'files.completeUploadExternal':
        return this.share(parameters);
      case 'conversations.replies': {
        const root = this.messages.find((each) => each.ts === ts);
        const replies = this.messages.filter((each) => each.root === ts);
        // A deleted root with replies stays as a tombstone, and its replies can be read.
        if (root === undefined || (root.deleted && replies.length === 0)) return { ok: false, error: 'thread_not_found' };
        const files = this.shared
          .filter((file) => file.root === ts)
          .map(({ title }) => ({ title, permalink: 'https://slack.invalid/files/F1' }));
        return { ok: true, messages: [...(root.deleted ? [] : [root]), ...replies, { ts: `${ts}9`, files }] };
      }
      case 'conversations.history':
        return { ok: true, messages: this.messages.filter((each) => each.root === null && !each.deleted).reverse() };
      default:
        return { ok: false, error: 'unknown_method' };
    }
  }

  /** A file of a title is shared once, however often the bot died over it. */
  private share(parameters: URLSearchParams): object {
    const root = parameters.get('thread_ts') ?? '';
    const files: readonly { readonly title: string }[] = JSON.parse(parameters.get('files') ?? '[]');
    if (!this.messages.some((each) => each.ts === root && !each.deleted)) return { ok: false, error: 'thread_not_found' };
    for (const { title } of files) {
      if (this.shared.some((file) => file.title === title)) this.scene.breaks(`${title} was posted twice`);
      this.shared.push({ root, title });
    }
    return { ok: true, files: [] };
  }

  private post(parameters: URLSearchParams): object {
    const root = parameters.get('thread_ts');
    if (root !== null && !this.messages.some((each) => each.ts === root && !each.deleted)) return { ok: false, error: 'thread_not_found' };
    const metadata: { event_payload: { key: string } } = JSON.parse(parameters.get('metadata') ?? '{"event_payload":{"key":""}}');
    const message: Posted = {
      ts: `${++this.count}.000001`,
      root,
      key: metadata.event_payload.key,
      text: '',
      buttons: [],
      metadata,
      deleted: false,
    };
    this.write(message, parameters);
    this.messages.push(message);
    if (root !== null) this.onLine(message.key);
    this.scene.tell(`slack has ${message.key}`);
    return { ok: true, ts: message.ts };
  }

  private write(message: Posted, parameters: URLSearchParams): void {
    message.text = parameters.get('text') ?? '';
    const blocks = parameters.get('blocks') ?? '[]';
    message.buttons = buttonsIn(blocks);
    for (const id of strangersMentioned(`${message.text}\n${blocks}`)) this.scene.breaks(`a message in Slack mentions ${id}`);
  }

  private respond(url: string, body: string): Response | 'dropped' {
    const { scene } = this;
    if (!scene.calm && scene.agenda.nowMs < this.downUntilMs) return 'dropped';
    if (scene.strikes('slack_drops', 0.1)) return 'dropped';
    const id = url.slice(RESPOND.length);
    const { text }: { text: string } = JSON.parse(body);
    this.answers.set(id, [...(this.answers.get(id) ?? []), text]);
    scene.tell(`${id} is answered: ${text.slice(0, 200).replaceAll('\n', ' / ')}`);
    for (const stranger of strangersMentioned(text)) scene.breaks(`an answer in Slack mentions ${stranger}`);
    return new Response('ok');
  }

  /** Roots that people see, newest first. */
  cards(): readonly Posted[] {
    return this.messages.filter((each) => each.root === null && !each.deleted).reverse();
  }

  /** Keys of the lines that were told of an operation, in the order in which Slack has them. */
  /** The rows that are told in the threads of an operation, and what is said of its mirror more than once, as nothing may be. */
  linesOf(operationId: string): readonly string[] {
    const keys = this.messages.filter(({ root, key }) => root !== null && key.startsWith(`${operationId}:`)).map(({ key }) => key);
    return keys.filter((key, index) => !key.startsWith(`${operationId}:mirror:`) || keys.indexOf(key) < index);
  }
}

const UPLOAD = 'https://slack.invalid/upload/F1';
export const RESPOND = 'https://slack.invalid/respond/';

function json(body: object): Response {
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
}

function buttonsIn(blocks: string): readonly Button[] {
  const parsed: readonly {
    readonly elements?: readonly { readonly type?: string; readonly action_id?: string; readonly value?: string }[];
  }[] = JSON.parse(blocks);
  return parsed.flatMap(({ elements = [] }) =>
    elements.flatMap(({ type, action_id: actionId, value }) =>
      type === 'button' && actionId !== undefined && value !== undefined ? [{ actionId, value }] : [],
    ),
  );
}
