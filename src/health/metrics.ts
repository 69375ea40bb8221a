import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { HealthReport, Vitals } from './health.js';

/** What is measured when somebody looks. */
export interface Measured {
  readonly vitals: Vitals;
  readonly health: HealthReport;
  readonly open: readonly { readonly protocol: string; readonly state: string }[];
}

/** Figures for Prometheus. Names end in their unit; labels hold words of ours, never what people typed. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly transitions = this.counter('harbor_transitions_total', 'Rows recorded by this process', ['to_state']);
  private readonly readings = this.counter('harbor_readings_total', 'Readings, by verb and kind', ['verb', 'kind']);
  private readonly faults = this.counter('harbor_faults_total', 'Passes that ended in a fault of ours', []);
  private readonly up = this.gauge('harbor_started_seconds', 'When this process started, in Unix time', []);
  private readonly tick = this.gauge('harbor_monitor_tick_age_seconds', 'Since the monitor last finished a pass', []);
  private readonly operations = this.gauge('harbor_operations_open', 'Open operations', ['protocol', 'state']);
  private readonly waiting = this.gauge('harbor_outbox_waiting', 'Lines still to be told', ['sink']);
  private readonly oldest = this.gauge('harbor_outbox_oldest_seconds', 'Age of the oldest line still to be told', ['sink']);
  private readonly door = this.gauge('harbor_slack_open', '1 while Slack can reach us', []);
  private readonly connections = this.gauge('harbor_slack_connections', 'Connections to Slack opened so far', []);
  private readonly health = this.gauge('harbor_health', '0 ok, 1 degraded, 2 red', ['part']);

  constructor(private readonly measure: () => Measured) {
    collectDefaultMetrics({ register: this.registry });
  }

  recorded(toState: string): void {
    this.transitions.inc({ to_state: toState });
  }

  read(verb: string, kind: 'known' | 'unknown'): void {
    this.readings.inc({ verb, kind });
  }

  faulted(): void {
    this.faults.inc();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The text that Prometheus reads, as of now. */
  async text(): Promise<string> {
    const { vitals, health, open } = this.measure();
    const ageOf = (at: Date | null): number => (vitals.now.getTime() - (at ?? vitals.startedAt).getTime()) / 1000;
    this.up.set(vitals.startedAt.getTime() / 1000);
    this.tick.set(ageOf(vitals.tickedAt));
    this.operations.reset();
    for (const { protocol, state } of open) this.operations.inc({ protocol, state });
    for (const sink of ['thread', 'issue']) {
      const own = vitals.backlog.find((each) => each.sink === sink);
      this.waiting.set({ sink }, own?.waiting ?? 0);
      this.oldest.set({ sink }, own === undefined ? 0 : ageOf(own.oldestAt));
    }
    this.door.set(vitals.door.kind === 'open' ? 1 : 0);
    this.connections.set(vitals.door.connections);
    for (const { name, state } of health.parts) this.health.set({ part: name }, { ok: 0, degraded: 1, red: 2 }[state]);
    return this.registry.metrics();
  }

  private counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }

  private gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }
}
