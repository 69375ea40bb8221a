/**
 * Where each operation stands, read off the cards in the channel: nothing else here knows about the bot.
 * @param {readonly { text?: string, ts: string, thread_ts?: string }[]} messages
 * @param {Record<string, string>} states the state that the words of a card's title stand for
 */
export function operationsOf(messages, states) {
  return messages
    .filter(({ ts, thread_ts }) => thread_ts === undefined || thread_ts === ts)
    .map(({ text = '', ts }) => {
      const [, id, words] = /\*([a-z]+-\d+) · ([^*\n]+)\*/.exec(text.split('\n', 1)[0]) ?? [];
      return id === undefined ? undefined : { id, state: states[words] ?? '', ts };
    })
    .filter((operation) => operation !== undefined)
    .sort((a, b) => Number(a.ts) - Number(b.ts));
}

const FINAL = new Set(['closed', 'rolled_back', 'cancelled', 'left_down', 'abandoned']);

/** The newest operation that has not ended, or `undefined`. */
export function openOperation(operations) {
  return operations.findLast(({ state }) => state !== '' && !FINAL.has(state));
}

/** The change that stands on main and was not launched yet, or `undefined`. */
export function waitingChange(cluster) {
  const { prepared, runs = [] } = cluster ?? {};
  if (prepared === undefined || prepared === null) return undefined;
  return runs.some(({ runId }) => runId === prepared.runId) ? undefined : prepared;
}

/**
 * How far the lessons are: the first is over when a swap has been made to its end, either way; the second when one of
 * two or more was rolled back.
 */
export function lessonOf(operations) {
  const made = operations.filter(({ state }) => state === 'closed' || state === 'rolled_back');
  if (made.length === 0) return 0;
  return made.length > 1 && made.some(({ state }) => state === 'rolled_back') ? 2 : 1;
}
