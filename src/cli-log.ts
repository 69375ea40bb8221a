import { chainOf, issueOf } from './assembly.js';
import { loadGithubAccess } from './environment.js';
import type { Fleet } from './fleet.js';
import { createGithub } from './github.js';
import { openToLook } from './journal/database.js';
import { BrokenChainError, Journal, type TransitionRow } from './journal/journal.js';
import { printLog } from './journal-report.js';
import { GithubIssue, type Mark } from './outbox/github.js';

const NOT_COMPARED = 3;

/**
 * Prints the history of an operation and verifies it: its chain, its plans, its evidence, and against the heads that the
 * status issue tells, since a tail that was cut off leaves a chain that fits. Returns 0, or 3 when the issue could not be
 * read. Throws BrokenChainError naming the row that was changed or is missing.
 */
export async function verifyLog(fleet: Fleet, env: NodeJS.ProcessEnv, operationId: string, format: 'text' | 'json'): Promise<number> {
  printLog(fleet, operationId, format);
  const database = openToLook(`${fleet.data}/journal.db`);
  try {
    const journal = new Journal(database);
    journal.verifyKept(operationId);
    const history = journal.history(operationId);
    const told = await read(fleet, env, operationId, new Date(history[0]?.at ?? 0));
    if (typeof told === 'string') {
      process.stderr.write(
        `harbor: the chain fits, but the status issue was not read (${told}): a tail that was cut off would not be seen\n`,
      );
      return NOT_COMPARED;
    }
    for (const mark of told) compare(operationId, history, mark);
    process.stderr.write(
      `harbor: ${operationId} is whole: ${history.length} rows fit their chain, ${told.length} of them as the status issue tells\n`,
    );
    return 0;
  } finally {
    database.close();
  }
}

async function read(fleet: Fleet, env: NodeJS.ProcessEnv, operationId: string, since: Date): Promise<readonly Mark[] | string> {
  try {
    const github = createGithub(fleet, loadGithubAccess(env));
    const target = issueOf(fleet);
    const chain = chainOf(fleet, github, target);
    const issue = new GithubIssue(github.octokit, target, () => github.login(), undefined, chain);
    return await issue.told(operationId, new Date(since.getTime() - 60_000));
  } catch (fault) {
    return fault instanceof Error ? fault.message : `${fault}`;
  }
}

function compare(operationId: string, history: readonly TransitionRow[], { seq, head }: Mark): void {
  const row = history.find((each) => each.seq === seq);
  if (row === undefined) {
    throw new BrokenChainError(
      `verify ${operationId}: the tail is cut: the status issue tells row ${seq}, the journal ends at row ${history.length}`,
    );
  }
  if (!row.hash.startsWith(head)) {
    throw new BrokenChainError(`verify ${operationId}: row ${seq} is not the one that the status issue tells (${head})`);
  }
}
