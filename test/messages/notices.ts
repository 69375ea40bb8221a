import { cardBlocks, noticeBlocks, preceded } from '../../src/render/blocks.js';
import { heroCard } from '../../src/render/hero/card.js';
import { markdown } from '../../src/render/markdown.js';
import * as notices from '../../src/render/notices.js';
import { code, link, type Text } from '../../src/render/text.js';
import { AT, MAY_DO, READINGS, viewIn } from '../support/samples.js';
import type { Scale } from './extreme.js';
import { scaled } from './hero.js';
import { type Page, type Sample, sent } from './outgoing.js';
import { type SamplesOf, spoken } from './samples-of.js';

const ISSUE: Text = [code('marin-community/marin#4321')];
/** One for each way in which an issue refuses comments. */
const BLOCKED: Readonly<Record<notices.BlockedWhy, string>> = {
  locked: 'github: 403 Unable to create comment because issue is locked.',
  full: 'github: 422 Commenting is disabled on issues with more than 2500 comments',
  gone: 'github: 410 This issue was deleted',
  forbidden: 'github: 403 Resource not accessible by integration',
};

function samplesOf(scale: Scale): SamplesOf<typeof notices> {
  const error = (usual: string): string => scaled({ error: usual }, scale).error;
  const blocked = (why: notices.BlockedWhy): Parameters<typeof notices.mirrorIsBlocked> => [
    ISSUE,
    notices.BLOCKED_WORDS[why],
    error(BLOCKED[why]),
  ];
  return {
    continuesHere: {
      'the old thread is there': ['hero-12', [link('https://example.slack.com/archives/C0HERO/p1', 'the thread so far')], ISSUE],
      'nothing is left of it': ['hero-12', [], ISSUE],
    },
    threadWasLost: { '': ['hero-12'] },
    cardIsFrozen: { '': ['hero-12', error('slack: edit_window_closed')] },
    channelIsLost: { '': ['hero-12', 'C0HERO0001', error('slack: is_archived'), ISSUE] },
    mirrorIsBlocked: { locked: blocked('locked'), full: blocked('full'), gone: blocked('gone'), forbidden: blocked('forbidden') },
    mirrorIsDelayed: { '': [ISSUE, AT] },
    mirrorGoesOn: { '': [ISSUE] },
    mirrorMoved: { '': [4321, 4400] },
    issueIsClosed: { '': [ISSUE] },
  };
}

export function noticesPage(scale: Scale): Page {
  const said = spoken(notices, samplesOf(scale)).map(({ name, text }) => ({ name, text: text as Text }));
  const view = scaled(viewIn('trial'), scale);
  const drawn = cardBlocks(heroCard(view, scaled(READINGS, scale), MAY_DO, []), 'hero-12', 9, view.planHash);
  const onIssue = ({ name, text }: { name: string; text: Text }): Sample => ({ name, outgoing: { kind: 'comment', body: markdown(text) } });
  return {
    file: 'notices.md',
    title: 'Notices about the telling itself',
    parts: [
      { heading: 'In Slack', samples: said.map(({ name, text }) => sent(name, noticeBlocks(text))) },
      { heading: 'On the issue', samples: said.filter(({ name }) => /^(threadWasLost|channelIsLost)/.test(name)).map(onIssue) },
      {
        heading: 'A card that follows a lost one',
        samples: said
          .filter(({ name }) => name.startsWith('continuesHere'))
          .slice(0, 1)
          .map(({ text }) => sent('its first lines', preceded(text, drawn))),
      },
    ],
  };
}
