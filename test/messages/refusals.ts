import type { JsonObject, Refusal } from '../../src/protocol/table.js';
import { refusalText } from '../../src/render/refusal.js';
import { AT } from '../support/samples.js';
import type { Scale } from './extreme.js';
import { scaled } from './hero.js';
import { answered, type Page, type Sample } from './outgoing.js';

/** What goes with a refusal. The type names them all, so that a new one does not compile without a sample. */
const REFUSALS: Readonly<Record<Refusal, JsonObject>> = {
  no_such_operation: {},
  no_such_transition: { state: 'trial', on: 'launch_approved' },
  stale_button: { state: 'arming', event: 'launch_approved', by: 'U0APPROVE', at: AT.toISOString() },
  stale_plan: {},
  too_old: { askedAt: AT.toISOString(), limitSeconds: 300 },
  not_allowed: { role: 'approve', may: ['U0APPROVE', 'U0LIN'] },
  own_request: { role: 'approve', may: ['U0APPROVE'] },
  nobody_may: { role: 'approve' },
  subject_locked: { holder: 'hero-11', state: 'trial', by: 'U0ASK', since: AT.toISOString() },
  clock_behind: { now: AT.toISOString(), lastAt: AT.toISOString() },
  not_proven: { needs: 'no coordinator of the family live, by the last reading' },
  no_pass: { verdict: 'INCONCLUSIVE' },
  liveness_unknown: { age: 40 },
  reason_missing: {},
  not_a_live_coordinator: { jobId: '/marin/hero-x-coord-1', wanted: 'hero-fast-a2a-step54k', live: ['/marin/hero-y-coord-2'] },
  nothing_changed: { sentence: 'approved already', by: 'U0APPROVE', at: AT.toISOString() },
  account_refused: { account: 'guest' },
  account_unread: {},
  not_compared: { at: AT.toISOString() },
  disk_full: { freeMb: 12 },
  not_the_requester: { clears: 'U0ASK' },
  fix_used: {},
};

/** Those that are said of a ferry, or of a lane's schedule, in other words than of a hero deploy. */
const OF_FERRIES: readonly (readonly [operationId: string, refusal: Refusal, details: JsonObject])[] = [
  ['ferry-31', 'no_such_operation', {}],
  ['ferry-31', 'no_such_transition', { state: 'awaiting_seal', on: 'launch_asked' }],
  ['ferry-31', 'stale_button', { state: 'arming', event: 'launch_asked', by: 'U0ASK', at: AT.toISOString() }],
  ['ferry-31', 'not_allowed', { role: 'bot', may: [] }],
  ['ferry-31', 'subject_locked', { holder: 'ferry-30', state: 'verifying', by: 'U0ASK', since: AT.toISOString() }],
  ['ferry-31', 'not_a_live_coordinator', { jobId: '/marin/x', wanted: 'ferry-20261130-daily', live: [] }],
  ['ferry-31', 'nothing_changed', { sentence: 'the abort is on file already' }],
  ['ferry-31', 'account_unread', {}],
  ['ferry-31', 'fix_used', {}],
  ['lane-1', 'no_such_transition', { state: 'off', on: 'switched_off' }],
  ['lane-1', 'not_the_requester', { clears: 'U0ASK' }],
  ['lane-1', 'not_proven', { needs: 'an end date until=YYYY-MM-DD within 14 days', isKnown: true }],
];

/** The same refusals where less is known. */
const OTHERWISE: readonly (readonly [name: string, refusal: Refusal, details: JsonObject])[] = [
  ['own_request, and nobody else may', 'own_request', { role: 'approve', may: [] }],
  ['nothing_changed, by nobody', 'nothing_changed', {}],
  ['account_refused, in a way that is not known', 'account_refused', {}],
];

/** Accounts that are refused, each in its own words. */
const ACCOUNTS = ['guest', 'deactivated', 'other_team', 'bot', 'no_such_account'] as const;

export function refusalPage(scale: Scale): Page {
  const refused = (operationId: string, refusal: Refusal, details: JsonObject, name: string = refusal): Sample =>
    answered(name, refusalText(operationId, refusal, scaled(details, scale)));
  return {
    file: 'refusals.md',
    title: 'Refusals, told to whoever asked',
    parts: [
      {
        heading: 'Of a hero deploy',
        samples: [
          ...Object.entries(REFUSALS).map(([refusal, details]) => refused('hero-12', refusal as Refusal, details)),
          ...OTHERWISE.map(([name, refusal, details]) => refused('hero-12', refusal, details, name)),
        ],
      },
      {
        heading: 'Of a ferry and of a schedule',
        samples: OF_FERRIES.map(([id, refusal, details]) => refused(id, refusal, details, `${refusal}, ${id}`)),
      },
      { heading: 'Of an account', samples: ACCOUNTS.map((account) => refused('', 'account_refused', { account }, account)) },
    ],
  };
}
