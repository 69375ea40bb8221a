import { expect, test } from 'vitest';
import { FERRY_ROWS } from '../../src/protocol/ferry/table.js';
import { ferryMessage } from '../../src/render/ferry/told.js';
import { mrkdwn } from '../../src/render/mrkdwn.js';
import { ferryToldOf, LANE_MAY_DO } from '../support/ferry-samples.js';

const TROUBLE = /^(?:canary|daily)_(?:failed|stopped|unverified)$|^closed_failed_again$|^escalate_asked$/;

test('whoever a lane names as urgent is named at once when its run did not end well, canary or daily', () => {
  const rows = [...new Map(FERRY_ROWS.filter(({ on }) => TROUBLE.test(on)).map((row) => [row.on, row])).values()];

  expect(rows).toHaveLength(8);
  for (const row of rows) {
    const { view, entry } = ferryToldOf(row);
    const { lines } = ferryMessage(view, entry, LANE_MAY_DO);
    expect([row.on, lines.map(mrkdwn).join('\n')]).toEqual([row.on, expect.stringContaining('<@U0URGENT>: please look.')]);
  }
});
