import { notHeard, type Refused } from '../decide.js';
import { expand } from '../people.js';
import { type Readings, type Request, refuse, type Who } from '../table.js';
import type { HeroFacts, HeroView } from './facts.js';
import type { HeroMemory } from './memory.js';
import type { HeroPlan } from './plan.js';
import type { RehearsalRule } from './rehearsal.js';

/** Who may do what, by the ids of Slack users and user groups; from the fleet file. An empty list is nobody, and so is a group that could not be read. */
export interface HeroPeople {
  readonly ask: readonly string[];
  readonly agree: readonly string[];
  readonly approve: readonly string[];
  readonly decide: readonly string[];
  readonly override: readonly string[];
  readonly onCall: readonly string[];
}

export interface HeroPolicy {
  readonly people: HeroPeople;
  /** A command or click older than this when it reaches us is not taken. */
  readonly requestSeconds: number;
  /** Working hours of each family as the fleet file has them now; a plan may have agreed to others, and then both count. */
  readonly workingHours: Readonly<Record<string, HeroPlan['workingHours']>>;
  readonly rehearsal: RehearsalRule;
  /** Liveness for a go must have been read within two of these. */
  readonly tickSeconds: number;
}

/** All that a decision may look at. */
export interface Context {
  readonly view: HeroView;
  readonly request: Request<HeroFacts>;
  readonly watched: { readonly memory: HeroMemory | null; readonly readings: Readings };
  readonly policy: HeroPolicy;
  readonly now: Date;
}

/** Whether a right is missing: whose word a row takes is named in the fleet file. */
export function forbids(who: Who, { request, policy, view }: Context): Refused | null {
  const listed = who === 'bot' ? [] : rolesOf(who, policy.people);
  const forbidden = notHeard(who, listed, request);
  if (forbidden !== null) return forbidden;
  const own = (who === 'agree' || who === 'approve') && request.by === view.requester && request.on !== 'launch_rejected';
  if (!own || view.plan.requesterMayApprove) return null;
  return refuse('own_request', { role: who, may: expand(listed, request.standing).filter((id) => id !== request.by) });
}

function rolesOf(who: Exclude<Who, 'bot'>, people: HeroPeople): readonly string[] {
  if (who !== 'duty') return people[who];
  return [...new Set([...people.ask, ...people.decide, ...people.approve, ...people.onCall])];
}
