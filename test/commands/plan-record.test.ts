import { expect, test } from 'vitest';
import { faultOf } from '../../commands/plan-faults.js';
import { readRecord } from '../../commands/plan-record.js';
import { HeroPlan } from '../../src/protocol/hero/plan.js';
import { FLEET } from '../simulation/fleet.js';
import { NEW_RUN, planBody } from '../support/plan.js';

function read(fields: Readonly<Record<string, string>>, previous: HeroPlan | null = null, finalStep: number | null = 1_000_000) {
  const family = FLEET.families.hero;
  if (family === undefined) throw new Error('no family');
  const entry = {
    typed: (field: string) => fields[field],
    faults: [] as string[],
    inferred: [] as string[],
    chosen: new Map<string, string>(),
  };
  const { finalStep: _, ...without } = family;
  const kept = readRecord(entry, FLEET, finalStep === null ? without : { ...without, finalStep }, NEW_RUN, previous);
  return { ...kept, faults: entry.faults, inferred: entry.inferred };
}

test('what is written down of a run comes from the fleet file, and the command holds no secret', () => {
  expect(read({})).toMatchObject({
    faults: [],
    inferred: ['final'],
    finalStep: 1_000_000,
    user: 'marin',
    tracker: { entity: 'marin', project: 'marin_moe' },
    record: {
      command: ['bash', 'experiments/grug/moe_hero_ep/trigger_hero.sh', 'launch'],
      outputRoot: `s3://hero/grug/${NEW_RUN}/v/checkpoints`,
    },
    statusIssue: 'marin-community/marin#1',
    permanentWaiver: null,
    downstream: [],
  });
});

test('each field can be typed, and a plan that is made of them is a plan', () => {
  const typed = read({
    final: '250000',
    copy: 's3://kept/hero/step-54000',
    retention: '30 days',
    unseen: 'evaluation at 57,000; a checkpoint save',
    dump: 'NCCL flight recorder',
    downstream: 'dashboard | https://d.example/1 | open | point it back; alerts | https://d.example/2 | done | mute them',
    dri: '<@U0DRI|ada>',
    reviewer: 'U0REVIEW',
  });

  expect(typed.faults).toEqual([]);
  expect(typed).toMatchObject({
    finalStep: 250_000,
    permanentWaiver: { copy: 's3://kept/hero/step-54000' },
    notExercised: ['evaluation at 57,000', 'a checkpoint save'],
    coreDump: 'NCCL flight recorder',
    downstream: [
      { what: 'dashboard', link: 'https://d.example/1', done: false, undo: 'point it back' },
      { what: 'alerts', link: 'https://d.example/2', done: true, undo: 'mute them' },
    ],
    dri: 'U0DRI',
    reviewer: 'U0REVIEW',
  });
  const { faults: _faults, inferred: _inferred, ...kept } = typed;
  expect(HeroPlan.safeParse({ ...planBody(), ...kept }).success).toBe(true);
});

test('a revision keeps what was typed before, unless it is typed anew', () => {
  const previous = HeroPlan.parse(planBody({ coreDump: 'armed', dri: 'U0DRI', permanentWaiver: { copy: 's3://k/step-54000' } }));

  expect(read({}, previous)).toMatchObject({ coreDump: 'armed', dri: 'U0DRI', permanentWaiver: { copy: 's3://k/step-54000' } });
  expect(read({ dump: 'another', copy: 'none' }, previous)).toMatchObject({ coreDump: 'another', permanentWaiver: null });
});

test('what is not understood is named by its field, with how to write it', () => {
  expect(read({ final: 'soon' }).faults).toEqual(['final: "soon" is not the number of a step; write final=250000']);
  expect(read({}, null, null).faults).toEqual([
    'final: the fleet file does not say at which step a run of this family ends; write final=250000',
  ]);
  expect(read({ dri: '@ada' }).faults[0]).toContain('dri: "@ada" is no Slack user; mention them');
});

test('rows are lines; typed on one line, `;` parts them, and a line may hold one', () => {
  const board = 'dashboard | https://d.example/1 | open | point it back; tell the team';

  expect(read({ downstream: `${board}\n\nalerts | marin#2 | done | mute\n` }).downstream.map(({ undo }) => undo)).toEqual([
    'point it back; tell the team',
    'mute',
  ]);
  expect(read({ downstream: `${board}\n` }).downstream).toHaveLength(1);
  expect(read({ downstream: board }).faults).toEqual([
    expect.stringMatching(/^downstream, row 2, "tell the team": 1 column where 4 belong/),
  ]);
  expect(read({ unseen: 'evaluation; at 57,000\na save' }).notExercised).toEqual(['evaluation; at 57,000', 'a save']);
});

test('what a plan of before says is taken back by `none`', () => {
  const row = { what: 'dashboard', link: 'marin#1', done: true, undo: 'point it back' };
  const previous = HeroPlan.parse(planBody({ coreDump: 'armed', dri: 'U0DRI', downstream: [row], notExercised: ['a save'] }));
  const none = { dump: 'none', dri: 'none', downstream: 'none', unseen: 'none' };

  expect(read({}, previous)).toMatchObject({ downstream: [row], notExercised: ['a save'] });
  expect(read(none, previous)).toMatchObject({ coreDump: null, dri: null, downstream: [], notExercised: [], faults: [] });
});

test('limits of a plan are told in plain words, by the field that was typed', () => {
  const faults = (changes: Parameters<typeof planBody>[0]) => {
    const parsed = HeroPlan.safeParse(planBody(changes));
    return parsed.success ? [] : parsed.error.issues.map(faultOf);
  };

  expect(faults({ windowSteps: 5 })).toContain('window: must be at least 20');
  expect(faults({ windowSteps: 20_000, discardedStepsMax: 20_000 })).toEqual(['window: must be at most 10,000']);
  expect(faults({ discardedStepsMax: 30 })).toEqual(['discard: is below the window, so the control could never cover it']);
  expect(faults({ reason: '' })).toEqual(['reason: is empty']);
  expect(faults({ reason: 'x'.repeat(501) })).toEqual(['reason: must be at most 500 characters']);
  expect(faults({ permanentWaiver: { copy: 'somewhere' } })).toEqual(['copy: must be a checkpoint path that ends in step-<N>']);
  expect(faults({ downstream: [{ what: 'a', link: 'b', done: true, undo: 'x'.repeat(301) }] })).toEqual([
    'downstream, row 1, column 4: is longer than 300 characters',
  ]);
  expect(faults({ notExercised: ['a save', 'x'.repeat(301)] })).toEqual(['unseen, line 2: is longer than 300 characters']);
  expect(faults({ finalStep: 'late' })).toEqual(['final: is missing, or of a kind that does not belong here']);
  expect(faults({ gate: [{ id: 'x', kind: 'tracks', margin: {} }] }).every((fault) => fault.startsWith('gate, criterion 1: '))).toBe(true);
});
