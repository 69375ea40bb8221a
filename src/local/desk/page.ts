import { timingSafeEqual } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BotDoor } from './bot-door.js';
import type { Desk } from './desk.js';
import { DeskError } from './desk-error.js';
import { asReadBack } from './history.js';
import type { Ingress } from './ingress.js';
import type { Directory } from './payloads.js';
import { BOT } from './person.js';
import { isRecord, type Json, parseJson, textOf } from './record.js';
import type { SlackState } from './slack-state.js';
import type { Views } from './views.js';
import { json, type Reply } from './web.js';

export interface PageOptions {
  /** Whoever knows it may act as anybody here: random, and only in the URL's path. */
  readonly token: string;
  /** What the harbour itself can do: `{ kind: 'kill_bot' }`, `{ kind: 'start_bot' }`, `{ kind: 'shut_hours', on }`. */
  readonly harbourControl?: ((action: Json) => Promise<unknown>) | undefined;
  /** The state that each title of a card stands for, by which the page knows where an operation is. */
  readonly states?: Readonly<Record<string, string>> | undefined;
  /** Commands offered ready-made, beside those the page knows. `{field}` is filled from the cluster's `prepared`; unfilled, it is not offered. */
  readonly suggestions?: readonly { readonly label: string; readonly text: string }[] | undefined;
}

interface Parts {
  readonly directory: Directory;
  readonly desk: Desk;
  readonly views: Views;
  readonly state: SlackState;
  readonly ingress: Ingress;
  readonly door: BotDoor;
  readonly changeCount: () => number;
  readonly onWrite: () => void;
}

/** How long the cluster may take to answer, and to do as it is told: a change is prepared once there is a permanent checkpoint. */
const CLUSTER_READ_MS = 5_000;
const CLUSTER_ACT_MS = 90_000;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** The page a person looks at, and the few requests its script makes. All under `/t/<token>/`. */
export class Page {
  readonly #options: PageOptions;
  readonly #parts: Parts;
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #outages = { slack: false, github: false };
  #cluster: { readonly url: string; readonly token: string } | null = null;
  #harbour: Json = {};

  constructor(options: PageOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.#files = pageFiles();
  }

  /** Answers a request, or `undefined` when it is not for the page or does not carry its token. */
  async answer(request: IncomingMessage, url: string, body: string): Promise<Reply | undefined> {
    const { pathname, searchParams } = new URL(url, 'http://desk');
    const [, token = '', rest] = /^\/t\/([^/]+)\/(.*)$/.exec(pathname) ?? [];
    if (rest === undefined || !isSame(token, this.#options.token)) return undefined;
    if (request.method === 'POST') return this.#act(request, rest, body);
    if (rest === 'state') return this.#state(searchParams);
    if (rest === 'cluster') return this.#askCluster('state');
    const file = rest === '' ? 'index.html' : rest;
    const content = this.#files.get(file);
    if (content === undefined) return undefined;
    return { status: 200, headers: { ...HEADERS, 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }, body: content };
  }

  async #act(request: IncomingMessage, rest: string, body: string): Promise<Reply> {
    // Only this page may act: another site that guessed the address would carry its own Origin.
    const { origin, host } = request.headers;
    if (origin !== `http://${host}`) return json({ ok: false, error: 'foreign_origin' }, 403);
    const said = parseJson(body);
    if (!isRecord(said)) return json({ ok: false, error: 'no_json' }, 400);
    const { desk, views } = this.#parts;
    switch (rest) {
      case 'says':
        return json(await desk.says(textOf(said.as), textOf(said.text), textOf(said.channel) || undefined));
      case 'clicks':
        return json(
          await desk.clicks(
            textOf(said.as),
            textOf(said.ts),
            { actionId: textOf(said.actionId), ...chosenValueOf(said) },
            textOf(said.channel) || undefined,
          ),
        );
      case 'submits':
        return json(await desk.submits(textOf(said.view), filledOf(said.values)));
      case 'home':
        return json(await desk.opensHome(textOf(said.as)));
      case 'closes':
        views.close(textOf(said.view));
        return json({ ok: true });
      case 'cluster':
        return this.#order(said);
      case 'outage':
        return this.#outage(said);
      case 'harbour':
        if (this.#options.harbourControl === undefined) return json({ ok: false, error: 'not_offered' }, 404);
        return this.#askHarbour(this.#options.harbourControl, said);
      default:
        return json({ ok: false, error: 'not_found' }, 404);
    }
  }

  /** Slack or GitHub stops answering the bot, or answers again. Commands and clicks still reach it, as they would. */
  #outage(said: Json): Reply {
    const sink = said.sink === 'github' ? 'github' : 'slack';
    this.#parts.desk.mend(sink);
    this.#outages[sink] = said.on === true;
    if (said.on === true)
      this.#parts.desk.fault({ sink, kind: 'status', status: 503, error: 'service_unavailable', times: Number.POSITIVE_INFINITY });
    this.#parts.onWrite();
    return json({ ok: true });
  }

  async #askHarbour(ask: (action: Json) => Promise<unknown>, said: Json): Promise<Reply> {
    try {
      return json({ ok: true, answer: await ask(said) });
    } catch (cause) {
      return json({ ok: false, error: 'harbour', message: cause instanceof Error ? cause.message : String(cause) }, 409);
    }
  }

  /** An order to the cluster, kept for the guide. */
  async #order(said: Json): Promise<Reply> {
    const { as: by, ...order } = said;
    const reply = await this.#askCluster('control', order);
    const text = `${textOf(said.kind)} ${textOf(said.change)}`.trim();
    this.#parts.ingress.notes({ by: textOf(by), kind: 'cluster', text, taken: reply.status === 200 });
    this.#parts.onWrite();
    return reply;
  }

  /** All that is drawn, or 204 when nothing changed since the count the page has. */
  async #state(query: URLSearchParams): Promise<Reply> {
    const { directory, desk, state, ingress, door, changeCount } = this.#parts;
    const count = changeCount();
    if (query.get('since') === String(count)) return { status: 204, body: '' };
    const person = query.get('person') ?? '';
    const channel = query.get('channel') || (directory.channels[0]?.id ?? '');
    const [messages, issue] = await Promise.all([state.messages(channel), desk.issue()]);
    return json({
      count,
      ...directory,
      bot: { ...BOT, connected: door.connected },
      channel,
      messages: messages.map((message) => asReadBack(message, false)),
      ephemerals: desk.ephemerals(person).filter((message) => message.channel === channel),
      views: desk.views(person),
      home: desk.home(person),
      issue: { ...issue, number: desk.issueNumber },
      acts: ingress.acts,
      outages: this.#outages,
      harbour: this.#harbour,
      states: this.#options.states ?? {},
      suggestions: this.#options.suggestions ?? [],
      offers: { cluster: this.#cluster !== null, harbour: this.#options.harbourControl !== undefined },
    });
  }

  /** How the harbour stands, as it said last. */
  showHarbour(state: Json): void {
    this.#harbour = state;
  }

  /** The cluster comes after the desk: its `gh` needs the desk's address. */
  connectCluster(url: string, token: string): void {
    this.#cluster = { url: url.replace(/\/$/, ''), token };
  }

  async #askCluster(what: 'state' | 'control', said?: Json): Promise<Reply> {
    if (this.#cluster === null) return json({ ok: false, error: 'no_cluster' }, 404);
    try {
      const response = await fetch(`${this.#cluster.url}/${what}`, {
        method: said === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${this.#cluster.token}`, 'content-type': 'application/json' },
        ...(said === undefined ? {} : { body: JSON.stringify(said) }),
        signal: AbortSignal.timeout(said === undefined ? CLUSTER_READ_MS : CLUSTER_ACT_MS),
      });
      return { status: response.status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: await response.text() };
    } catch (cause) {
      return json({ ok: false, error: 'cluster_unreachable', message: cause instanceof Error ? cause.message : '' }, 502);
    }
  }
}

function chosenValueOf(said: Json): { readonly value?: string } {
  return typeof said.value === 'string' ? { value: said.value } : {};
}

function filledOf(values: unknown): Readonly<Record<string, string>> {
  if (!isRecord(values)) return {};
  return Object.fromEntries(Object.entries(values).map(([block, value]) => [block, textOf(value)]));
}

function isSame(given: string, wanted: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(wanted);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The page's files. They are not compiled, so they stand in the source folder, also when this runs from `dist`. */
function pageFiles(): ReadonlyMap<string, Buffer> {
  let root = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(root, 'package.json'))) {
    if (dirname(root) === root) throw new DeskError('find the page: no package.json above the desk');
    root = dirname(root);
  }
  const folder = join(root, 'src', 'local', 'page');
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}
