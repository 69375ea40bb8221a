import { keysIn } from '../../src/outbox/github.js';
import type { Life } from './life.js';
import { mentionedOnGithub } from './mentions.js';
import type { Scene } from './scene.js';

interface Comment {
  readonly id: number;
  readonly login: string;
  readonly body: string;
  readonly atMs: number;
}

const BOT = 'harbor[bot]';

/** The status issue, and how GitHub fails. It is asked over the real client's `fetch`. */
export class Github {
  readonly comments: Comment[] = [];
  private readonly issues: string[] = [];
  downUntilMs = 0;

  constructor(
    private readonly scene: Scene,
    private readonly onLine: (key: string) => void,
  ) {}

  wire(life: Life): typeof fetch {
    return async (input, init) => {
      const { scene } = this;
      scene.activity++;
      life.pass('before a fetch');
      // On its way it reaches the other side even if the bot dies meanwhile; no bot is back sooner than that.
      if (scene.strikes('slow_sinks', 0.2)) await scene.agenda.delay(scene.dice.between(50, 900));
      const answer = this.call(new URL(`${input}`), init?.method ?? 'GET', `${init?.body}`);
      life.pass('after a fetch');
      if (scene.strikes('github_limits', 0.1)) await life.while(scene.agenda.delay(scene.dice.between(50, 1_500)));
      scene.activity++;
      if (answer === 'dropped') throw new TypeError('fetch failed');
      return answer;
    };
  }

  private call(url: URL, method: string, body: string): Response | 'dropped' {
    const { scene } = this;
    if (!scene.calm && scene.agenda.nowMs < this.downUntilMs) return 'dropped';
    if (scene.strikes('github_limits', 0.08)) {
      const status = scene.dice.pick([403, 429]);
      return json({ message: 'secondary rate limit' }, status, { 'retry-after': `${Math.ceil(scene.dice.between(1, 20))}` });
    }
    const drop = scene.strikes('github_drops', 0.12) ? scene.dice.pick(['before', 'after', 'half', 'redirected']) : null;
    if (drop === 'before') return 'dropped';
    if (drop === 'redirected' && method === 'POST') return json([], 200);
    const answer = this.answer(url, method, body);
    if (drop === 'after') return 'dropped';
    if (drop === 'half') return json({ message: 'bad gateway' }, 502);
    return answer;
  }

  private answer(url: URL, method: string, body: string): Response {
    if (url.pathname === '/user') return json({ login: BOT }, 200);
    if (url.pathname.endsWith('/issues')) return method === 'POST' ? this.file(JSON.parse(body)) : json(this.issues.map(shown), 200);
    if (!url.pathname.endsWith('/issues/1/comments')) return json({ message: 'Not Found' }, 404);
    if (method === 'POST') return json(this.comment(JSON.parse(body)), 201);
    const since = Date.parse(url.searchParams.get('since') ?? '1970-01-01T00:00:00Z');
    const found = this.comments.filter(({ atMs }) => atMs >= since);
    return json(
      found.map(({ id, login, body: text }) => ({ id, body: text, user: { login } })),
      200,
    );
  }

  /** An operation has one failure issue, however often the bot died over it. */
  private file({ title, body }: { readonly title: string; readonly body: string }): Response {
    const [marker = ''] = body.split(' head=');
    if (this.issues.some((issue) => issue.startsWith(`${marker} `))) this.scene.breaks(`${title} was filed twice: ${marker}`);
    this.issues.push(body);
    for (const name of mentionedOnGithub(`${title}\n${body}`)) this.scene.breaks(`an issue on GitHub mentions ${name}`);
    return json(shown(body, this.issues.length - 1), 201);
  }

  private comment({ body }: { readonly body: string }): object {
    const comment = { id: this.comments.length + 1, login: BOT, body, atMs: this.scene.agenda.nowMs };
    this.comments.push(comment);
    for (const key of keysIn(body)) {
      this.scene.tell(`github has ${key}`);
      this.onLine(key);
    }
    for (const name of mentionedOnGithub(body)) this.scene.breaks(`a comment on GitHub mentions ${name}`);
    return { id: comment.id };
  }

  /** Somebody else writes on the issue, and quotes a marker of ours. */
  meddle(): void {
    const quoted = this.comments.at(-1)?.body.split('\n')[0] ?? '';
    this.comments.push({ id: this.comments.length + 1, login: 'somebody', body: `${quoted}\nlooks good`, atMs: this.scene.agenda.nowMs });
  }

  linesOf(operationId: string): readonly string[] {
    return this.comments
      .filter(({ login }) => login === BOT)
      .flatMap(({ body }) => keysIn(body).filter((key) => key.startsWith(`${operationId}:`)));
  }
}

function shown(body: string, index: number): object {
  return { number: index + 2, html_url: `https://github.invalid/issues/${index + 2}`, body, user: { login: BOT } };
}

function json(body: object, status: number, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}
