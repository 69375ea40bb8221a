import type { HeroPlan } from '../../src/protocol/hero/plan.js';
import { planOf } from './view.js';

/** The kinds of plan between which the table tells: with a tracker child or without, asked or by itself, a run launched again. */
export const PLANS: Readonly<Record<string, HeroPlan>> = {
  'a swap with a tracker child, asked, then by itself': planOf({ onFailure: { kind: 'ask_then_automatic', afterSeconds: 900 } }),
  'a swap without a tracker child, rolled back by itself': planOf({ forkFrom: null, onFailure: { kind: 'automatic' } }),
  'a run that is launched again': planOf({ kind: 'recover', forkFrom: null }),
};
