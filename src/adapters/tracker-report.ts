import { z } from 'zod';
import type { Acts, Published, Reads } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import type { Deed } from './act.js';
import { checkedMetric, checkedRunId, checkedWholeNumber, UnsafeArgumentError } from './binding.js';
import { parseJson } from './frames.js';
import type { Outside } from './outside.js';
import { notUnderstood, understood } from './question.js';

/** The tracker's comparison report: made once, found again by its title. */

const Found = z.discriminatedUnion('exists', [
  z.strictObject({ exists: z.literal(false) }),
  z.strictObject({ exists: z.literal(true), url: z.string() }),
]);

/** Letters, digits and what a run id or a sentence of ours has; never at the start what would be an option. */
const TITLE = /^[A-Za-z0-9][A-Za-z0-9_., -]{0,250}$/;
/** A link is shown to people: nothing but a plain address may become one. */
const URL_OF = /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?\/[A-Za-z0-9._~/%?=&+#-]{0,500}$/;

/** Where the report of this title is, or that there is none. */
export function readTrackerReport(outside: Outside, { family, title }: Reads['tracker_report']['args']): Promise<Reading<Published>> {
  return outside.ask({
    name: 'tracker report show',
    command: outside.commands.tracker,
    args: ['report', 'show', projectOf(outside, family), '--title', checkedTitle(title)],
    parse: (stdout) => {
      const found = parseJson(stdout, Found);
      if (found.kind === 'not_understood') return found;
      if (!found.value.exists) return understood<Published>({ url: null });
      const { url } = found.value;
      return URL_OF.test(url)
        ? understood<Published>({ url })
        : notUnderstood('unparsable', 'the address of the report is not a plain one');
    },
  });
}

/** Two run sets over the same absolute steps, one panel a metric. */
export function publishReport(outside: Outside, args: Acts['publish_report']): Deed {
  const panels = args.panels.flatMap((metric) => ['--panel', checkedMetric(metric)]);
  return {
    command: outside.commands.tracker,
    args: [
      ...['report', 'create', projectOf(outside, args.family), '--title', checkedTitle(args.title)],
      ...['--run-set', checkedRunId(args.control), '--run-set', checkedRunId(args.candidate)],
      ...['--from', `${checkedWholeNumber(args.from)}`, '--to', `${checkedWholeNumber(args.to)}`],
      ...panels,
    ],
  };
}

function projectOf(outside: Outside, family: string): string {
  const { entity, project } = outside.familyOf(family).tracker;
  return `${entity}/${project}`;
}

function checkedTitle(title: string): string {
  if (!TITLE.test(title)) throw new UnsafeArgumentError(`check report title: ${JSON.stringify(title.slice(0, 80))}`);
  return title;
}
