import { valuesOfPlan } from '../../commands/form-fields.js';
import type { Entry } from '../../commands/plan-entry.js';
import { planForm, titleOf, type Wanted } from '../../commands/plan-form.js';
import type { Meta } from '../../commands/submitted.js';
import { difference } from '../../src/protocol/hero/difference.js';
import { HeroPlan } from '../../src/protocol/hero/plan.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { notOnFileHere, readNotTyped } from '../../src/render/answers.js';
import { planned, revised } from '../../src/render/hero/answers.js';
import { changeLines } from '../../src/render/hero/change.js';
import * as inForm from '../../src/render/hero/plan-form.js';
import { toldMessage } from '../../src/render/hero/told.js';
import { refusalText } from '../../src/render/refusal.js';
import { formView, saying } from '../../src/render/views.js';
import { planBody } from '../support/plan.js';
import { MAY_DO, toldOf } from '../support/samples.js';
import type { Scale } from './extreme.js';
import { HERO_TOLD, scaled } from './hero.js';
import { type Page, type Sample, viewed } from './outgoing.js';

/** Every form and every modal, from the moment it opens to what it says in the end. */

const PLAN: Wanted = { kind: 'plan' };
const REVISE: Wanted = { kind: 'revise', operationId: 'hero-12' };
const FAULTS = [
  'new: the launch record still has a placeholder in handoff_checkpoint; finish it on main first',
  'gate, line 1, column 12: "is nice" is not a criterion. For example gate="train_loss tracks within 0.002"',
  'coordinators could not be read, it did not answer in time (30 s)',
];

function filled(wanted: Wanted, body: JsonObject, faults: readonly string[], scale: Scale): Sample['outgoing'] {
  const plan = HeroPlan.parse(body);
  const chosen = new Map([
    ...valuesOfPlan(plan),
    ['family', plan.family],
    ['old', plan.oldRun],
    ['new', plan.newRun],
    ['handoff', `${plan.handoffStep}`],
    ['deploy', plan.deploy.commit],
    ['rollback', plan.rollback.commit],
  ]);
  const values = scale === 'usual' ? chosen : new Map([...chosen].map(([field, value]) => [field, scaled({ text: value }, scale).text]));
  const stretched = scaled({ faults }, scale).faults;
  const entry: Entry =
    faults.length > 0
      ? { kind: 'faults', faults: stretched, chosen: values }
      : {
          kind: 'plan',
          body: JSON.parse(JSON.stringify(plan)),
          inferred: [],
          evidence: [],
          chosen: values,
        };
  const meta: Meta = {
    operationId: wanted.kind === 'revise' ? wanted.operationId : null,
    hash8: '5824015b',
    channel: 'C0HERO0001',
    filled: [],
    rowsOf: wanted.kind === 'plan' ? 'hero-11' : null,
    read: Object.fromEntries(chosen),
  };
  return {
    kind: 'view',
    view: formView(
      planForm({ wanted, meta, values, read: new Set(['family', 'old', 'new', 'handoff', 'downstream']), faults: stretched, entry }),
    ),
  };
}

function bodyOf(scale: Scale): JsonObject {
  if (scale === 'usual') return planBody();
  const commits = Array.from({ length: 200 }, (_none, n) => ({
    sha: `${n % 10}`.repeat(40),
    subject: scaled({ subject: '' }, scale).subject,
  }));
  return planBody({ commits });
}

export function formsPage(scale: Scale): Page {
  const before = HeroPlan.parse(bodyOf(scale));
  const after = HeroPlan.parse({
    ...bodyOf(scale),
    windowSteps: 50,
    reason: scaled({ reason: 'a shorter window is enough' }, scale).reason.slice(0, 380),
  });
  const shut = HERO_TOLD.find(({ on }) => on === 'guards_shut');
  const evidence = shut === undefined ? null : scaled(toldOf(shut), scale);
  const modal = (name: string, title: string, lines: Parameters<typeof saying>[1]): Sample => viewed(name, saying(title, lines));
  const refused = refusalText('hero-12', 'not_allowed', { role: 'ask', may: ['U0ASK'] });
  return {
    file: 'forms.md',
    title: 'Forms',
    parts: [
      {
        heading: 'A new plan',
        samples: [
          modal('opened at once', titleOf(PLAN), [inForm.readingPlan()]),
          { name: 'filled with what was read', outgoing: filled(PLAN, bodyOf(scale), [], scale) },
          { name: 'not everything could be read', outgoing: filled(PLAN, planBody(), FAULTS, scale) },
          modal('submitted', titleOf(PLAN), [inForm.puttingOnFile()]),
          modal('put on file', titleOf(PLAN), [planned('hero-12'), readNotTyped(['old', 'new', 'handoff'])]),
          modal('refused', titleOf(PLAN), [refused]),
          modal('a fault on its way', 'Not taken', [refusalText('', 'account_refused', { account: 'guest' })]),
        ],
      },
      {
        heading: 'A revision',
        samples: [
          { name: 'filled with what the plan says', outgoing: filled(REVISE, bodyOf(scale), [], scale) },
          modal('the plan cannot be revised now', titleOf(REVISE), [inForm.cannotBeRevised('hero-12', 'trial')]),
          modal('there is no such operation', titleOf(REVISE), [inForm.cannotBeRevised(null, null)]),
          modal('put on file', titleOf(REVISE), [revised('hero-12'), ...changeLines(difference(before, after))]),
        ],
      },
      {
        heading: 'The evidence of a row',
        samples: [
          modal('opened at once', 'Evidence', [inForm.lookingUp()]),
          modal('as it is on file', 'hero-12, row 9', evidence === null ? [] : toldMessage(evidence.view, evidence.entry, MAY_DO).evidence),
          modal('of another channel', 'hero-12, row 9', [notOnFileHere()]),
        ],
      },
    ],
  };
}
