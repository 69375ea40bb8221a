import { drawBlocks } from './blocks.js';
import { act } from './desk-client.js';
import { el, keyed } from './dom.js';
import { mrkdwn } from './mrkdwn.js';

/** How many replies a thread shows before the earlier ones are folded away. */
const REPLIES_SHOWN = 4;

/** Threads whose earlier replies somebody asked to see. */
const unfolded = new Set();

/** What only one person saw, and put away. */
const dismissed = new Set();

/** The newest whisper that was drawn: a later one is brought into sight, since it answers what was just done. */
let heard = '';

/** Whether the newest line is to stay in sight: so, until somebody scrolls away from it. */
let pinned = true;

/** Keeps the newest line in sight when the stream itself grows or shrinks. */
export function watchStream(stream) {
  stream.addEventListener('scroll', () => {
    pinned = stream.scrollHeight - stream.scrollTop - stream.clientHeight < 60;
  });
  new ResizeObserver(() => {
    if (pinned) stream.scrollTop = stream.scrollHeight;
  }).observe(stream);
}

/** Brings the newest card that waits for a click into sight; without one, the newest line. */
export function showWaiting(stream) {
  const card = [...stream.querySelectorAll('.card:has(.b-actions)')].at(-1);
  if (card === undefined) stream.scrollTop = stream.scrollHeight;
  else {
    card.closest('article').scrollIntoView({ block: 'start' });
    card.querySelector('.b-actions').scrollIntoView({ block: 'nearest' });
  }
}

/**
 * Draws the channel as a person sees it: root messages with their threads, and what only they see, by time.
 * `person` is asked at each click: who presses a button is who stands at the top then, not who stood there at its drawing.
 */
export function drawChannel(stream, state, person, refresh) {
  const replies = Map.groupBy(state.messages.filter(isReply), (message) => message.thread_ts);
  const rows = [
    ...state.messages
      .filter((message) => !isReply(message))
      .map((message) => ({ kind: 'root', message, replies: replies.get(message.ts) ?? [] })),
    ...state.ephemerals.filter(({ ts }) => !dismissed.has(ts)).map((message) => ({ kind: 'whisper', message, replies: [] })),
  ].sort((a, b) => timeOf(a.message) - timeOf(b.message));
  if (rows.length === 0) {
    stream.replaceChildren(empty());
    return;
  }
  stream.querySelector('.empty')?.remove();
  keyed(stream, rows, {
    key: (row) => `${row.kind}-${row.message.ts}`,
    sign: (row) => JSON.stringify([row, unfolded.has(row.message.ts)]),
    draw: (row) => (row.kind === 'root' ? root(row, state, person, refresh) : whisper(row.message, state, person, refresh)),
  });
  const newest = rows.findLast(({ kind }) => kind === 'whisper')?.message.ts ?? '';
  const answered = newest > heard;
  heard = newest > heard ? newest : heard;
  if (pinned || answered) stream.scrollTop = stream.scrollHeight;
}

function isReply(message) {
  return message.thread_ts !== undefined && message.thread_ts !== message.ts;
}

function timeOf(message) {
  return Number(message.ts.split('.')[0]) + Number(`0.${message.ts.split('.')[1] ?? 0}`) / 10;
}

function empty() {
  return el(
    'div.empty',
    {},
    el('p', {}, 'Nothing has been said yet.'),
    el('p.quiet', {}, 'Start with the guide above, or type /hero-deploy help below.'),
  );
}

function root({ message, replies }, state, person, refresh) {
  const hidden = unfolded.has(message.ts) ? 0 : Math.max(0, replies.length - REPLIES_SHOWN);
  return el(
    'article.root',
    {},
    drawMessage(message, state, person, refresh, 'card'),
    replies.length === 0
      ? null
      : el(
          'div.thread',
          { role: 'group', 'aria-label': 'Thread' },
          el('p.thread-count', {}, `${replies.length} ${replies.length === 1 ? 'reply' : 'replies'}`),
          hidden === 0
            ? null
            : el(
                'button.link',
                {
                  type: 'button',
                  click: () => {
                    unfolded.add(message.ts);
                    refresh(true);
                  },
                },
                `Show ${hidden} earlier`,
              ),
          ...replies
            .slice(hidden)
            .map((reply, index) => drawMessage(reply, state, person, refresh, index === 0 ? 'reply' : 'reply.follows')),
        ),
  );
}

function whisper(message, state, person, refresh) {
  return el(
    'article.whisper',
    {},
    el(
      'p.whisper-mark',
      {},
      message.from === 'slack' ? 'Slack, only visible to you' : 'Only visible to you',
      el(
        'button.link',
        {
          type: 'button',
          click: () => {
            dismissed.add(message.ts);
            refresh(true);
          },
        },
        'Dismiss',
      ),
    ),
    drawMessage(message, state, person, refresh, 'reply'),
  );
}

/** Files that a message shares: only pictures of the desk's own. */
function pictures(message) {
  return (message.files ?? [])
    .filter((file) => file.mimetype === 'image/png')
    .map((file) => el('img.chart', { src: new URL(file.permalink).pathname, alt: file.title, loading: 'lazy' }));
}

function drawMessage(message, state, person, refresh, size) {
  const at = new Date(Number(message.ts.split('.')[0]) * 1000);
  const told = el('p.error', { role: 'alert' });
  const click = async (button) => {
    told.textContent = '';
    try {
      const delivery = await act('clicks', {
        as: person(),
        ts: message.ts,
        actionId: button.action_id,
        value: button.value,
        channel: state.channel,
      });
      if (delivery.kind !== 'acknowledged') told.textContent = `The bot did not answer this click (${delivery.kind}). Nothing was done.`;
    } catch (fault) {
      told.textContent = fault.message;
    }
    await refresh(true);
  };
  const context = { directory: state, click, key: message.ts };
  const drawn =
    Array.isArray(message.blocks) && message.blocks.length > 0 ? drawBlocks(message.blocks, context) : mrkdwn(message.text, state);
  const author = message.from === 'slack' ? 'Slack' : state.bot.name;
  return el(
    `div.message.${size}`,
    {},
    el('span.avatar', { 'aria-hidden': 'true', 'data-who': message.from === 'slack' ? 'slack' : 'bot' }, author[0].toUpperCase()),
    el(
      'div.said',
      {},
      el(
        'p.by',
        {},
        el('strong', {}, author),
        message.from === 'slack' ? null : el('span.app', {}, 'app'),
        el(
          'time',
          { datetime: at.toISOString(), title: at.toLocaleString() },
          at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' }),
        ),
        message.edited === undefined ? null : el('span.quiet', {}, '(edited)'),
      ),
      el('div.content', {}, ...drawn, ...pictures(message)),
      told,
    ),
  );
}
