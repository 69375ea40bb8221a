import type { Engine } from './engine/engine.js';
import type { Fleet } from './fleet.js';
import { OperationTelling } from './operation-telling.js';
import type { IssueProse } from './outbox/failure-issues.js';
import type { HeroView } from './protocol/hero/facts.js';
import type { HeroMemory } from './protocol/hero/memory.js';
import type { Sample } from './protocol/outside.js';
import type { Entry, JsonObject } from './protocol/table.js';
import { noSuchFamily } from './render/hero/answers.js';
import { awaited } from './render/hero/awaited.js';
import { brief } from './render/hero/brief.js';
import { heroCard } from './render/hero/card.js';
import { failureIssue } from './render/hero/failure-issue.js';
import { type Figure, figureOf } from './render/hero/figure.js';
import { handKit } from './render/hero/hand.js';
import { EVENT_WORDS, stateWords } from './render/hero/states.js';
import { toldMessage } from './render/hero/told.js';
import { waysOutOf } from './render/hero/ways-out.js';
import { decidedIn, type Glance } from './render/home.js';
import type { Button, Card, MayDo, Message } from './render/message.js';
import { strong, type Text } from './render/text.js';

/** What is said of hero deploys: a row as it was when it was recorded, the card as things are now. */
export class HeroTelling extends OperationTelling<HeroView> {
  private readonly mayDo: MayDo;

  constructor(
    engine: Engine,
    private readonly fleet: Fleet,
  ) {
    super(engine, 'hero');
    const people = fleet.people.hero;
    const duty = [...new Set([...people.ask, ...people.decide, ...people.approve, ...people.onCall])];
    this.mayDo = { ...people, duty };
  }

  glance(operationId: string): Glance {
    const view = this.view(operationId);
    const { mark, words } = stateWords(view);
    const decided = decidedIn(view.history, EVENT_WORDS);
    return { mark, title: [strong(`${operationId} · ${words}`)], next: awaited(view, this.mayDo), decided };
  }

  /** How a person goes on without the bot. */
  hand(operationId: string): readonly Text[] {
    const view = this.view(operationId);
    const family = this.fleet.families[view.plan.family];
    if (family === undefined) return [noSuchFamily(view.plan.family)];
    const { iris, launcher } = this.fleet.adapters;
    return handKit(view, {
      iris: iris.command,
      cluster: this.fleet.clusters[family.cluster]?.scheduler ?? family.cluster,
      launcher: launcher.command,
      launchScript: family.repository.launchScript,
      user: family.user,
    });
  }

  brief(operationId: string): readonly Text[] {
    return brief(this.view(operationId));
  }

  /** The chart of a row: the rows that were judged, read from the record. */
  figure(operationId: string, seq: number): Figure {
    const view = this.asOf(operationId, seq);
    const { controlWindow, trialWindow, verdict = null, failure } = view.facts;
    const rows = { control: this.samples(controlWindow), candidate: this.samples(trialWindow) };
    return figureOf({ operationId, plan: view.plan, verdict, failure: failure?.sentence ?? null, ...rows });
  }

  /** The issue about a rollback, with the digests of what it rests on. */
  failureIssue(operationId: string): IssueProse {
    const { journal } = this.engine;
    const evidence = journal.history(operationId).flatMap((row): string[] => JSON.parse(row.evidence));
    const head = journal.operation(operationId)?.head ?? '';
    return { ...failureIssue(this.view(operationId), this.fleet.github.issue, [...new Set(evidence)].reverse()), head };
  }

  private samples(digest: string | undefined): readonly Sample[] {
    const kept = digest === undefined ? undefined : this.engine.journal.evidence.read(digest);
    return kept === undefined ? [] : JSON.parse(kept.body);
  }

  protected words(view: HeroView, entry: Entry<JsonObject>): Message {
    return toldMessage(view, entry, this.mayDo);
  }

  protected draw(view: HeroView): Card {
    const memory: HeroMemory | null = this.engine.watched.get(view.operationId)?.memory ?? null;
    return heroCard(view, this.readings(view), this.mayDo, view.state === 'held' ? this.waysOut(view) : [], memory);
  }

  /**
   * The ways out of a hold that the last readings prove: each is asked of the protocol as a request would be, and
   * nothing is recorded.
   */
  private waysOut(view: HeroView): readonly Button[] {
    const watched = this.engine.watched.get(view.operationId) ?? { memory: null, readings: {} };
    const protocol = this.engine.protocol('hero');
    const asked = (role: string): string => (this.mayDo[role] ?? []).find((id) => id !== view.requester) ?? '';
    return waysOutOf(view, watched.readings).flatMap(({ button, on, role, details }) => {
      const by = asked(role);
      const standing = { kind: 'member', groups: { [by]: [by] } } as const; // a group that may is somebody who may
      const request = { operationId: view.operationId, on, by, requestKey: 'asked only', details, standing };
      return protocol.decide(view, request, watched, this.engine.now()).kind === 'advance' ? [button] : [];
    });
  }
}
