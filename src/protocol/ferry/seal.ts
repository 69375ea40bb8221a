import { answer, evidenceOf, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import { tagOf } from './effects.js';
import { type FerryView, logBranch } from './facts.js';
import { streak, twice } from './memory.js';
import type { FerryEffect } from './table.js';
import { allActsOver, type FerryProposal, type FerryWatcher, nothing, one, secondsIn, settle } from './watcher.js';

const tagNeed = (view: FerryView): Need => need('tag', 'remote_tag', { lane: view.plan.lane, dir: view.plan.dir, tag: tagOf(view) });
const logNeed = (view: FerryView): Need =>
  need('log', 'ferry_log', { lane: view.plan.lane, branch: logBranch(view), path: view.plan.seal?.log ?? '' });
const pullNeed = (view: FerryView): Need => need('pull', 'ferry_pull', { lane: view.plan.lane, branch: logBranch(view) });

/**
 * The hub: what of the seal is there is read, and the first thing that is missing, seen missing twice with nothing of ours
 * still acting, is what is done next. So a seal that was broken off goes on where it stood, and nothing is done again.
 */
export const sealing: FerryWatcher = {
  needs: (view) => [tagNeed(view), logNeed(view), pullNeed(view)],
  watch: (view, readings, memory, now) => {
    const { tag, log, pull } = all(readings);
    const evidence = evidenceOf(tag, log, pull);
    const wanted = next(view, readings);
    const stands = streak(memory, wanted?.on ?? '', allActsOver(view) ? (pull ?? log ?? tag) : undefined, true);
    if (wanted !== null && (wanted.on === 'sealed' || wanted.on === 'tag_conflict' || twice(stands, wanted.on))) {
      return one(stands, { ...wanted, evidence });
    }
    if (secondsIn(view, now) <= view.plan.limits.launchSeconds) return nothing(wanted === null ? memory : stands);
    const unread = [tag, log, pull].flatMap((reading) => (reading?.kind === 'unknown' ? [`${reading.source}: ${reading.why}`] : []));
    return one(memory, { on: 'seal_unknown', details: { sentence: unread.join('; ') || 'an earlier step may still be acting' }, evidence });
  },
};

function all(readings: Readings) {
  return {
    tag: answer(readings, 'remote_tag', 'tag'),
    log: answer(readings, 'ferry_log', 'log'),
    pull: answer(readings, 'ferry_pull', 'pull'),
  };
}

/** Null while something that the next step depends on is not known. */
function next(view: FerryView, readings: Readings): FerryProposal | null {
  const { tag, log, pull } = all(readings);
  if (tag?.kind !== 'known') return null;
  if (tag.value.commit === null) return { on: 'tag_missing' };
  if (tag.value.commit !== view.plan.commit) return conflict(view, tag.value.commit);
  if (log?.kind !== 'known') return null;
  const { baseHead, branch } = log.value;
  if (branch === null) return { on: 'branch_missing', facts: { sealBase: baseHead } };
  if (!branch.text.includes(tagOf(view))) return { on: 'entry_missing', facts: { sealFileSha: branch.fileSha, sealText: branch.text } };
  if (pull?.kind !== 'known') return null;
  if (pull.value === null) return { on: 'pull_missing' };
  const { number, url, files, labels, open } = pull.value;
  const path = view.plan.seal?.log ?? '';
  if (!open) return { on: 'pull_conflict', details: { sentence: `pull request ${number} is closed`, url } };
  if (files.length !== 1 || files[0] !== path) {
    return {
      on: 'pull_conflict',
      details: { sentence: `pull request ${number} changes ${files.join(', ') || 'nothing'}, and may change only ${path}`, url },
    };
  }
  const missing = (view.plan.seal?.labels ?? []).filter((label) => !labels.includes(label));
  if (missing.length > 0) return { on: 'labels_missing', facts: { sealPull: { number, url } } };
  return {
    on: 'sealed',
    facts: { sealedTag: tagOf(view), sealPull: { number, url } },
    details: {
      sentence: `tag ${tagOf(view)} at ${view.plan.commit.slice(0, 10)}, pull request ${number} changes the log alone; each read back`,
      url,
    },
  };
}

function conflict(view: FerryView, found: string): FerryProposal {
  const sentence = `tag ${tagOf(view)} is at ${found.slice(0, 10)}, and this ferry was launched from ${view.plan.commit.slice(0, 10)}; a tag is never moved`;
  return { on: 'tag_conflict', details: { sentence, found } };
}

/** One step of the seal: done when it is read back, and then the hub looks at the whole again. */
function step(
  effect: FerryEffect,
  what: string,
  needs: FerryWatcher['needs'],
  isDone: (view: FerryView, readings: Readings) => boolean | null,
): FerryWatcher {
  return {
    needs,
    watch: (view, readings, memory, now) => {
      const { tag, log, pull } = all(readings);
      const reading = tag ?? log ?? pull;
      const elsewhere = effect === 'push_tag' && tag?.kind === 'known' ? tag.value.commit : null;
      if (elsewhere !== null && elsewhere !== view.plan.commit) return one(memory, conflict(view, elsewhere));
      return settle(
        { view, memory, now },
        {
          effect,
          reading,
          done: isDone(view, readings) === true ? { on: 'step_done', evidence: evidenceOf(reading) } : null,
          absent: { on: 'step_absent', details: { sentence: `${what}, seen twice` }, evidence: evidenceOf(reading) },
          unknown: {
            on: 'step_unknown',
            details: { sentence: `whether that was done is not known: ${what}` },
            evidence: evidenceOf(reading),
          },
          limitSeconds: view.plan.limits.launchSeconds,
        },
      );
    },
  };
}

export const tagging = step(
  'push_tag',
  'the remote has no such tag',
  (view) => [tagNeed(view)],
  (view, readings) => {
    const { tag } = all(readings);
    return tag?.kind === 'known' ? tag.value.commit === view.plan.commit : null;
  },
);

export const branching = step(
  'make_branch',
  'GitHub has no branch for the log entry',
  (view) => [logNeed(view)],
  (_view, readings) => {
    const { log } = all(readings);
    return log?.kind === 'known' ? log.value.branch !== null : null;
  },
);

export const logging = step(
  'write_log',
  'the log does not hold the entry: somebody may have changed it meanwhile',
  (view) => [logNeed(view)],
  (view, readings) => {
    const { log } = all(readings);
    return log?.kind === 'known' ? log.value.branch?.text.includes(tagOf(view)) === true : null;
  },
);

export const opening = step(
  'open_pull',
  'GitHub has no pull request of the branch',
  (view) => [pullNeed(view)],
  (_view, readings) => {
    const { pull } = all(readings);
    return pull?.kind === 'known' ? pull.value !== null : null;
  },
);

export const labelling = step(
  'label_pull',
  'the pull request lacks labels',
  (view) => [pullNeed(view)],
  (view, readings) => {
    const { pull } = all(readings);
    if (pull?.kind !== 'known') return null;
    return (view.plan.seal?.labels ?? []).every((label) => pull.value?.labels.includes(label) === true);
  },
);
