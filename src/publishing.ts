import type { Reader } from './engine/monitor.js';
import type { Actor } from './engine/worker.js';
import type { Charts } from './outbox/charts.js';
import type { FailureIssues } from './outbox/failure-issues.js';
import type { JsonObject } from './protocol/table.js';

/**
 * The verbs that publish where the bot tells, and read it back, beside those of the adapters. They start no process of
 * their own: an act that died with the bot is over with it, and is read about like any other.
 */
export function withPublishing(outside: Reader & Actor, charts: Charts, issues: FailureIssues): Reader & Actor {
  return {
    read(verb: string, args: JsonObject) {
      if (verb === 'thread_chart') return charts.find(`${args.operationId}`, Number(args.seq));
      if (verb === 'failure_issue') return issues.find(`${args.operationId}`);
      return outside.read(verb, args);
    },
    act(verb, args, intent) {
      if (verb === 'post_chart') return charts.post(`${args.operationId}`, Number(args.seq));
      if (verb === 'file_failure_issue') return issues.file(`${args.operationId}`);
      return outside.act(verb, args, intent);
    },
    isGone: (process) => outside.isGone(process),
  };
}
