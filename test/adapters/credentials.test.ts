import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FleetError } from '../../src/errors.js';
import { gist, registryOf } from './asking.js';
import { type FakeCommand, fakeCommand, fakeFleet, fakeReply } from './fake-command.js';

describe('the page in the tracker', () => {
  const read = async (tracker: FakeCommand) =>
    gist(await registryOf(fakeFleet({ tracker })).read('tracker_child', { family: 'hero', runId: 'hero-x-step54k' }));

  test('is there with what the fork wrote, or is not there', async () => {
    const config = {
      hero_handoff_checkpoint: 's3://hero/step-54000',
      hero_wandb_fork_from: 'hero-main?_step=53999',
      hero_launch_commit: 'abc',
      seed: 1,
    };
    const tracker = fakeReply(JSON.stringify({ exists: true, config, last_step: 53999 }));

    expect(await read(tracker)).toEqual({
      known: {
        exists: true,
        handoffCheckpoint: 's3://hero/step-54000',
        forkFrom: 'hero-main?_step=53999',
        launchCommit: 'abc',
        lastHistoryStep: 53_999,
      },
    });
    expect(tracker.calls()).toEqual([['show', 'marin-community/marin_moe/hero-x-step54k']]);
    expect(await read(fakeReply('{"exists":true,"config":{}}\n'))).toEqual({
      known: { exists: true, handoffCheckpoint: null, forkFrom: null, launchCommit: null, lastHistoryStep: null },
    });
    expect(await read(fakeReply('{"exists":false}\n'))).toMatchObject({ known: { exists: false } });
  });

  test('is unknown when the tracker does not answer, or answers something else', async () => {
    expect(await read(fakeReply('', { exit: 1, stderr: 'Traceback\nCommError: unreachable\n' }))).toEqual({
      unknown: 'failed',
      detail: 'exit 1: CommError: unreachable',
    });
    for (const text of ['', 'null', '{"exists":false,"degraded":true}', '{"exists":"false"}', '{"exists":true}']) {
      expect(await read(fakeReply(text)), text).toMatchObject({ unknown: 'unparsable' });
    }
  });
});

describe('credentials', () => {
  const RUN_FLAGS = '--no-wait --job-name --max-retries --target-cluster --priority --system-reason --enable-extra-resources -e';
  const iris = (stopFlags: string) =>
    fakeCommand(`case "$*" in
      *"job stop --help"*) echo "Usage: iris job stop [OPTIONS] JOB_ID..."; echo "  ${stopFlags}";;
      *"job run --help"*) echo "Usage: iris job run"; echo "  ${RUN_FLAGS}";;
      *"query --help"*) echo "Usage: iris query"; echo "  -f, --format [table|csv]";;
      *" query -f csv "*) printf 'n\\r\\n0\\r\\n';;
      *) exit 2;;
    esac`);
  const gh = (exit: number, says = exit === 0 ? 'Logged in to github.com' : 'You are not logged in') =>
    fakeCommand(`if [ "$1" = --version ]; then echo gh version 2; else echo '${says}' >&2; exit ${exit}; fi`);
  const tracker = () => fakeReply('{"exists":false}\n');
  const read = async (commands: Parameters<typeof fakeFleet>[0], env = {}) => {
    const fleet = fakeFleet(commands, { env });
    return gist(await registryOf(fleet, { env: { ...process.env, KEY_OF_TRACKER: 'abcdefgh' } }).read('credentials', { family: 'hero' }));
  };

  test('are each said, with the flags that acts need', async () => {
    const launcher = fakeCommand('echo launcher 1.0');
    writeFileSync(join(launcher.dir, 'gh'), '');
    chmodSync(join(launcher.dir, 'gh'), 0o755);
    const commands = { iris: iris('--prefix --exact'), gh: gh(0), tracker: tracker(), launcher };

    const reading = await read(commands, { WANDB_API_KEY: '$KEY_OF_TRACKER', PATH: `${launcher.dir}:${process.env.PATH}` });

    expect(reading).toMatchObject({
      known: [
        { name: 'iris job stop', ok: true },
        { name: 'iris query', ok: true },
        { name: 'iris job run', ok: true },
        { name: 'iris', ok: true },
        { name: 'gh --version', ok: true },
        { name: 'gh', ok: true },
        { name: 'tracker', ok: true },
        { name: 'launcher', ok: true },
        { name: 'WANDB_API_KEY', ok: true },
        { name: 'gh for the launch script', ok: true, detail: join(launcher.dir, 'gh') },
        { name: 'git for the launch script', ok: true },
      ],
    });
    expect(launcher.calls()).toEqual([['--version']]);
  });

  test('that are lacking are told one by one', async () => {
    const old = iris('--include-children/--no-include-children --exact-match');

    expect(await read({ iris: old, gh: gh(1), tracker: tracker() })).toMatchObject({
      known: [
        { name: 'iris job stop', ok: false, detail: 'lacks --exact' },
        { name: 'iris query', ok: true },
        { name: 'iris job run', ok: true },
        { name: 'iris', ok: true },
        { name: 'gh --version', ok: true },
        { name: 'gh', ok: false },
        { name: 'tracker', ok: true },
        { name: 'launcher', ok: true },
        { name: 'WANDB_API_KEY', ok: false },
        { name: 'gh for the launch script' },
        { name: 'git for the launch script', ok: true },
      ],
    });
  });

  test('a program that only the launch script calls must be on its own PATH, and what starts the script must start', async () => {
    const launcher = fakeCommand('echo launcher 1.0');
    const whole = { iris: iris('--exact'), gh: gh(0), tracker: tracker() };

    const elsewhere = await read({ ...whole, launcher }, { PATH: `${launcher.dir}:/usr/bin:/bin` });

    expect(elsewhere).toMatchObject({
      known: expect.arrayContaining([
        { name: 'gh for the launch script', ok: false, detail: "not found on the launcher's PATH, where the launch script looks for it" },
      ]),
    });
    expect(await read({ ...whole, launcher: fakeReply('', { exit: 127 }) })).toMatchObject({ unknown: 'failed' });
  });

  test('are unknown as a whole if one probe could not be made', async () => {
    const whole = { iris: iris('--exact'), gh: gh(0), tracker: tracker() };

    expect(await read({ ...whole, tracker: fakeReply('', { exit: 1 }) })).toMatchObject({ unknown: 'failed' });
    expect(await read({ ...whole, iris: fakeReply('', { exit: 1 }) })).toMatchObject({ unknown: 'failed' });
    expect(await read({ ...whole, gh: gh(4) })).toMatchObject({ unknown: 'failed' });
    // What a broken program ends with is no word about a login.
    expect(await read({ ...whole, gh: fakeReply('', { exit: 1 }) })).toMatchObject({ unknown: 'failed' });
    expect(await read({ iris: whole.iris, tracker: whole.tracker })).toMatchObject({ unknown: 'not_started' });
  });
});

test('a fleet file that names a variable nobody set is refused before anything runs', () => {
  const fleet = fakeFleet({ iris: fakeReply('') }, { env: { IRIS_TOKEN: '$NOT_SET_ANYWHERE' } });

  expect(() => registryOf(fleet)).toThrow(FleetError);
  expect(() => registryOf(fleet)).toThrow('NOT_SET_ANYWHERE (adapters.iris.env.IRIS_TOKEN)');
});
