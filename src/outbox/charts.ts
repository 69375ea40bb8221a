import type { WebClient } from '@slack/web-api';
import type { Outbox } from '../journal/outbox.js';
import type { ActReport, Published } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';

/** How a picture is made and sent, as the composition root can do it. */
export interface Pictures {
  /** The chart of a row as a PNG, drawn elsewhere than here. Throws when it was not drawn. */
  draw(operationId: string, seq: number): Promise<Buffer>;
  /** Puts bytes where Slack said that they go. Throws unless they were taken. */
  upload(url: string, bytes: Buffer): Promise<void>;
}

/** The chart of a trial in its thread. It is posted once; whether it is there is read back from the thread itself. */
export class Charts {
  constructor(
    private readonly client: WebClient,
    private readonly outbox: Outbox,
    private readonly pictures: Pictures,
    private readonly now: () => Date,
  ) {}

  /** Draws, uploads, shares: the share alone can be seen by anybody. Never throws; what became of it is read. */
  async post(operationId: string, seq: number): Promise<ActReport> {
    const { channel, ts } = this.outbox.card(operationId);
    const report = { exitCode: null, jobId: null } as const;
    if (ts === null) return { ...report, problem: 'not_started', evidence: `chart of ${operationId}: it has no thread yet` };
    try {
      const png = await this.pictures.draw(operationId, seq);
      const title = titleOf(operationId, seq);
      const place = await this.client.files.getUploadURLExternal({ filename: `${title}.png`, length: png.length, alt_text: title });
      if (place.upload_url === undefined || place.file_id === undefined) throw new Error('slack named no place for the file');
      await this.pictures.upload(place.upload_url, png);
      await this.client.files.completeUploadExternal({ files: [{ id: place.file_id, title }], channel_id: channel, thread_ts: ts });
      return { ...report, exitCode: 0, problem: null, evidence: `chart ${title}: ${png.length} bytes, file ${place.file_id}` };
    } catch (fault) {
      return { ...report, problem: 'failed', evidence: `chart of ${operationId} row ${seq}: ${wordsOf(fault)}` };
    }
  }

  /** Where the chart of a row is. The thread may hold files of others: only the exact title counts. */
  async find(operationId: string, seq: number): Promise<Reading<Published>> {
    const readAt = this.now();
    const { channel, ts } = this.outbox.card(operationId);
    const frame = { source: 'slack conversations.replies', readAt };
    if (ts === null) return { ...frame, kind: 'known', value: { url: null } };
    const title = titleOf(operationId, seq);
    try {
      let cursor = '';
      for (let pages = 0; pages < PAGES_MAX; pages++) {
        const page = await this.client.conversations.replies({ channel, ts, limit: 200, ...(cursor === '' ? {} : { cursor }) });
        const files = (page.messages ?? []).flatMap((message) => message.files ?? []);
        const found = files.find((file) => file.title === title);
        if (found?.permalink !== undefined) return { ...frame, kind: 'known', value: { url: found.permalink } };
        if (found !== undefined) return { ...frame, kind: 'unknown', why: 'unparsable', detail: 'the file has no address yet' };
        cursor = page.response_metadata?.next_cursor ?? '';
        if (cursor === '') return { ...frame, kind: 'known', value: { url: null } };
      }
      return { ...frame, kind: 'unknown', why: 'truncated', detail: `more than ${PAGES_MAX} pages of replies` };
    } catch (fault) {
      return { ...frame, kind: 'unknown', why: 'unreachable', detail: wordsOf(fault) };
    }
  }
}

const PAGES_MAX = 20;

function titleOf(operationId: string, seq: number): string {
  return `${operationId} chart of row ${seq}`;
}

function wordsOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : 'an unknown fault';
}
