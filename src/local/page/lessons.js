/** What a newcomer is led through: a swap that is good, then one that hangs. */
export const LESSONS = [
  {
    title: 'Make your first swap',
    change: 'fast-a2a',
    steps: ['Prepare a change', 'Ask for a plan', 'Agree', 'Preflight', 'Approve the launch', 'Watch the trial', 'Decide'],
  },
  {
    title: 'Now a change that hangs: bring the old run back',
    change: 'silent-hang',
    steps: ['Prepare silent-hang', 'Ask for a plan', 'Agree', 'Preflight', 'Approve the launch', 'Watch it hang', 'Roll back'],
  },
];

const PREPARE = 0;
const PLAN = 1;

/** What to do in each state of an operation: which step of the lesson it is, by whom, and in which words. */
const IN_STATE = {
  planned: [2, 'approver', 'The plan wants a second person. As the approver, press Agree on the card; whoever asked cannot.'],
  agreed: [3, 'requester', 'Press Run preflight. Every guard is read: one that is shut, or does not answer, stops the swap here.'],
  preflighting: [3, null, 'The guards are being read.'],
  blocked: [
    3,
    'requester',
    'A guard is shut or did not answer: the thread says which, and what opens it. Mend it under Cluster, then press Run preflight again.',
  ],
  ready: [4, null, 'All guards are open. The old run trains through the steps it is compared on; then the launch gate opens by itself.'],
  awaiting_launch: [
    4,
    'approver',
    'As the approver, press Approve launch. From here on the bot acts: it stops the old run, then launches the new one.',
  ],
  arming: [5, null, 'Approved. The guards are read once more before anything is touched.'],
  forking: [5, null, 'The tracker gets a child for the new run.'],
  stopping_old: [5, null, 'The old run is being stopped. Nothing is launched until it is proven gone.'],
  launching: [5, null, 'The old run is gone; the new one is being launched.'],
  starting: [5, null, 'The new run restores the checkpoint and compiles. Watch it under Cluster.'],
  trial: [5, null, 'The new run trains the same steps as the old one did, and is judged on them.'],
  awaiting_decision: [
    6,
    'approver',
    'The window is complete and the verdict is on the card. Go keeps the new run, No-go brings the old one back.',
  ],
  awaiting_rollback: [
    6,
    'approver',
    'The trial failed, and the card says why. Press Roll back: the new run is stopped and the old one launched again.',
  ],
  watching: [6, null, 'Accepted. It is watched a little longer and closes by itself; until then a rollback is one click away.'],
  stopping_new: [6, null, 'Rolling back: the new run is being stopped.'],
  anchoring: [6, null, 'Rolling back: looking for the checkpoint from which the old run resumes.'],
  relaunching_old: [6, null, 'Rolling back: the old run is being launched again.'],
  replaying: [6, null, 'The old run repeats steps it had trained before; they must come out the same.'],
  nothing_running: [6, 'approver', 'Nothing trains. The card offers the ways on: launch again, roll back, or leave it down.'],
  rearming: [6, null, 'The guards are read again before another launch.'],
  awaiting_anchor: [
    6,
    'approver',
    'The checkpoint it would resume from is not the expected one. Look at it, then confirm it or leave the run down.',
  ],
  held: [6, 'approver', 'What happened is not known. The readings are repeated by themselves; the card offers what a person may decide.'],
};

/** The step a newcomer is at: its index, the words, the role that can do it (null: nobody has to), and the tab to look at. */
export function nextStep({ lesson, operation, waiting }) {
  const { change } = LESSONS[lesson];
  const known = operation === undefined ? undefined : IN_STATE[operation.state];
  if (known !== undefined) {
    const [step, role, words] = known;
    return { step, role, words, view: 'channel', does: 'look' };
  }
  if (waiting !== undefined) {
    const words = `${waiting.change} is on main. Ask for a plan to swap it in: the command is ready-made, press Send.`;
    return { step: PLAN, role: 'requester', words, view: 'channel', does: 'write' };
  }
  const words = `Under Cluster, press ${change}: it is committed to main with its launch record.`;
  return { step: PREPARE, role: 'requester', words, view: 'cluster', does: 'look' };
}
