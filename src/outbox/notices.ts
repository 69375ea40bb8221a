import type { Text } from '../render/text.js';
import type { GithubIssue } from './github.js';
import type { Found, Sent } from './sink.js';
import type { SlackThread } from './slack.js';

/** Where a notice is said. */
export type Place =
  | { readonly kind: 'channel'; readonly channel: string; readonly root: string | null }
  | { readonly kind: 'issue'; readonly since: Date };

interface Waiting {
  readonly place: Place;
  readonly text: Text;
  notBeforeMs: number;
}

const AGAIN_MS = 5_000;

/**
 * What is said about the telling itself, once by its key. It is no row of history: a notice that is lost with the process
 * is asked for again by what gave rise to it, and looked up before it is said.
 */
export class Notices {
  private readonly said = new Set<string>();
  private readonly waiting = new Map<string, Waiting>();

  constructor(
    private readonly thread: SlackThread,
    private readonly issue: GithubIssue,
    private readonly now: () => Date,
  ) {}

  ask(key: string, place: Place, text: Text): void {
    const full = `${place.kind}:${key}`;
    if (!this.said.has(full) && !this.waiting.has(full)) this.waiting.set(full, { place, text, notBeforeMs: 0 });
  }

  /** Says what waits for this kind of place, and is due. */
  async flush(kind: Place['kind']): Promise<void> {
    const nowMs = this.now().getTime();
    for (const [full, notice] of [...this.waiting]) {
      if (notice.place.kind !== kind || nowMs < notice.notBeforeMs) continue;
      const sent = await this.sayOnce(full.slice(kind.length + 1), notice.place, notice.text);
      if (sent.kind === 'sent' || sent.kind === 'root_lost' || sent.kind === 'frozen') {
        // Said; or the thread in which it was to be said is gone, and the next one says why by itself.
        this.waiting.delete(full);
        this.said.add(full);
      } else notice.notBeforeMs = nowMs + ('waitMs' in sent ? sent.waitMs : AGAIN_MS);
    }
  }

  /** Says it now, unless it has been said. */
  async sayOnce(key: string, place: Place, text: Text): Promise<Sent> {
    const found = await this.find(key, place);
    if (found.kind === 'found') return { kind: 'sent', id: found.id };
    if (found.kind === 'unclear') return { kind: 'unclear', error: found.error };
    return place.kind === 'issue' ? this.issue.notice(key, text) : this.thread.notice(place.channel, place.root, key, text);
  }

  private find(key: string, place: Place): Promise<Found> {
    if (place.kind === 'issue') return this.issue.findNotice(key, place.since);
    return place.root === null ? this.thread.findCard(place.channel, key) : this.thread.findReply(place.channel, place.root, key);
  }
}
