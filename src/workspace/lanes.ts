import type { Finding } from './finding.js';
import { type RepositoryClient, refusal } from './github.js';

/** What of a lane its issues are found by. */
export interface LabelledLane {
  readonly labels: { readonly proposal: readonly string[]; readonly failure: readonly string[] };
}

/**
 * Whether the issues of each lane can be used: those that carry its labels are where its runs are proposed and its failures
 * stand. One that is locked takes no word of ours. Only reads. Never throws for what GitHub did: that is unknown.
 */
export async function readLaneIssues(
  client: RepositoryClient,
  repository: { readonly owner: string; readonly repo: string },
  lanes: Readonly<Record<string, LabelledLane>>,
): Promise<readonly Finding[]> {
  const named = Object.entries(lanes);
  if (named.length === 0) return [];
  try {
    const { data } = await client.rest.repos.get(repository);
    if (data.has_issues === false) {
      const detail = `issues are switched off in ${repository.owner}/${repository.repo}: a ferry is proposed, and fails, in one`;
      return named.map(([name]) => finding(name, 'wrong', detail));
    }
  } catch (fault) {
    return named.map(([name]) => refusal(`lane ${name}`, fault, `${repository.owner}/${repository.repo}`));
  }
  const read = named.flatMap(([name, { labels }]) =>
    [labels.proposal, labels.failure].filter((each) => each.length > 0).map((each) => readNewest(client, repository, name, each)),
  );
  const unlabelled = named.filter(([, { labels }]) => labels.proposal.length + labels.failure.length === 0);
  return [
    ...(await Promise.all(read)),
    ...unlabelled.map(([name]) => finding(name, 'right', 'names no labels; its failures get issues of their own')),
  ];
}

async function readNewest(
  client: RepositoryClient,
  repository: { readonly owner: string; readonly repo: string },
  lane: string,
  labels: readonly string[],
): Promise<Finding> {
  const wanted = labels.join(', ');
  try {
    const query = { ...repository, labels: labels.join(','), state: 'open', sort: 'created', direction: 'desc', per_page: 1 } as const;
    const { data } = await client.rest.issues.listForRepo(query);
    const [newest] = data;
    if (newest === undefined) return finding(lane, 'right', `no open issue carries ${wanted} yet`);
    const place = `#${newest.number}: ${newest.title}`;
    return newest.locked
      ? finding(lane, 'wrong', `${place} carries ${wanted} and is locked: unlock the conversation, or close it`)
      : finding(lane, 'right', `${place} carries ${wanted}`);
  } catch (fault) {
    return refusal(`lane ${lane}`, fault, `the issues that carry ${wanted}`);
  }
}

function finding(lane: string, kind: Finding['kind'], detail: string): Finding {
  return { side: 'github', about: `lane ${lane}`, kind, detail };
}
