import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { isGroupLive, type ProcessIdentity } from '../../src/adapters/process-identity.js';
import { createShell, type Invocation } from '../../src/adapters/shell.js';
import { until } from './asking.js';
import { fakeCommand } from './fake-command.js';
import { TimeInHand } from './time-in-hand.js';

const ENV = { PATH: process.env.PATH ?? '' };

function invocation(argv: readonly string[], limits: Partial<Invocation> = {}): Invocation {
  return { argv, env: ENV, timeoutMs: 60_000, killDelayMs: 300, outputBytesMax: 100_000, ...limits };
}

function pidIn(dir: string, name: string): number {
  return Number(readFileSync(join(dir, name), 'utf8'));
}

/** Once a script has written its process id there, to the end of the line. */
async function pidOnceIn(dir: string, name: string): Promise<number> {
  await until(() => existsSync(join(dir, name)) && readFileSync(join(dir, name), 'utf8').endsWith('\n'));
  return pidIn(dir, name);
}

describe('a read', () => {
  test('is ended at its time limit, whether it has begun or not', async () => {
    const outcome = await createShell().read(invocation([fakeCommand('sleep 600').path], { timeoutMs: 50 }));

    expect(outcome.ending).toEqual({ kind: 'timed_out' });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(50);
  });

  test('F93: a grandchild that keeps the pipe open is ended with its group at the time limit', async () => {
    const command = fakeCommand('sleep 600 & echo ok; echo $$ > "$dir/pid"');
    const time = new TimeInHand();

    const reading = createShell(time.start).read(invocation([command.path]));
    const pid = await pidOnceIn(command.dir, 'pid');
    await turn(); // what it had said by then is heard
    time.passes();
    const outcome = await reading;

    expect(outcome.ending).toEqual({ kind: 'timed_out' });
    expect(outcome.stdout.toString()).toBe('ok\n');
    expect(isGroupLive(pid)).toBe(false);
  });

  test('F93: a child that ignores the soft signal is ended by the hard one', async () => {
    const command = fakeCommand('trap "" TERM; echo $$ > "$dir/pid"; while :; do sleep 0.2; done');
    const time = new TimeInHand();

    const reading = createShell(time.start).read(invocation([command.path], { killDelayMs: 200 }));
    const pid = await pidOnceIn(command.dir, 'pid');
    time.passes();
    const outcome = await reading;

    expect(outcome.ending).toEqual({ kind: 'timed_out' });
    expect(isGroupLive(pid)).toBe(false);
  });

  test('a process that left the group and holds the pipe does not hold the read', async () => {
    const command = fakeCommand('setsid bash -c \'echo $$ > "$0/stray"; exec sleep 600\' "$dir" & echo ok');
    const time = new TimeInHand();

    const reading = createShell(time.start).read(invocation([command.path]));
    const stray = await pidOnceIn(command.dir, 'stray');
    time.passes();
    const outcome = await reading;

    expect(outcome.ending).toEqual({ kind: 'timed_out' });
    expect(process.kill(stray, 'SIGKILL')).toBe(true); // it was still there
  });

  test('output beyond the limit ends it, and says how much was not kept', async () => {
    const command = fakeCommand('echo $$ > "$dir/pid"; while :; do echo 0123456789; done');

    const outcome = await createShell().read(invocation([command.path], { outputBytesMax: 1_000 }));

    expect(outcome.ending).toEqual({ kind: 'output_too_long', exitCode: null });
    expect(outcome.stdout.length).toBe(1_000);
    expect(outcome.droppedBytes).toBeGreaterThan(0);
    expect(isGroupLive(pidIn(command.dir, 'pid'))).toBe(false);
  });

  test('each way to end is told apart, whatever the process says of itself', async () => {
    const shell = createShell();
    const endingOf = async (script: string) => (await shell.read(invocation([fakeCommand(script).path]))).ending;

    expect(await endingOf('echo "Traceback: timed out" >&2')).toEqual({ kind: 'ok' });
    expect(await endingOf('echo fine; exit 124')).toEqual({ kind: 'failed', exitCode: 124 });
    expect(await endingOf('kill -KILL $$')).toEqual({ kind: 'killed', signal: 'SIGKILL' });
    expect((await shell.read(invocation(['/nowhere/iris']))).ending).toEqual({
      kind: 'not_started',
      detail: 'ENOENT, there is no executable /nowhere/iris',
    });
    expect((await shell.read(invocation(['true'], { cwd: '/nowhere' }))).ending.kind).toBe('not_started');
  });

  test('an argument is an argument, whatever is in it, and the environment is what was named', async () => {
    const command = fakeCommand('env');

    const outcome = await createShell().read(invocation([command.path, '$(touch /nowhere)', '; reboot', '']));

    expect(command.calls()).toEqual([['$(touch /nowhere)', '; reboot', '']]);
    const names = outcome.stdout
      .toString()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).not.toContain('HOME');
    expect(names).toContain('PATH');
  });

  test('two at once do not know of each other, and twenty take turns', async () => {
    const shell = createShell();
    const [slow, quick] = [fakeCommand('sleep 0.3; echo slow'), fakeCommand('echo quick')];

    const both = await Promise.all([shell.read(invocation([slow.path])), shell.read(invocation([quick.path]))]);
    const many = await Promise.all(Array.from({ length: 20 }, () => shell.read(invocation([quick.path]))));

    expect(both.map((outcome) => outcome.stdout.toString())).toEqual(['slow\n', 'quick\n']);
    expect(many.every((outcome) => outcome.stdout.toString() === 'quick\n')).toBe(true);
  });
});

describe('an act', () => {
  test('is known by its process before anything else happens, and carries its intent', async () => {
    const command = fakeCommand('echo "$HARBOR_INTENT $$"');
    const noted: ProcessIdentity[] = [];

    const outcome = await createShell().act({
      ...invocation([command.path]),
      intentId: 'hero-7:12',
      onSpawn: (identity) => noted.push(identity),
    });

    expect(outcome.ending).toEqual({ kind: 'ok' });
    expect(outcome.stdout.toString()).toBe(`hero-7:12 ${noted[0]?.pid}\n`);
    expect(noted[0]?.startTicks).toBeGreaterThan(0);
    expect(noted[0]?.bootId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has ended when its whole group has, and is ended with it at the time limit', async () => {
    const brief = fakeCommand('(sleep 0.3; touch "$dir/late") & echo ok');
    const endless = fakeCommand('sleep 600 & echo $$ > "$dir/pid"; echo ok');
    const time = new TimeInHand();
    const marks = { intentId: 'i', onSpawn: () => undefined };

    const first = await createShell().act({ ...invocation([brief.path]), ...marks });
    const acting = createShell(time.start).act({ ...invocation([endless.path]), ...marks });
    const pid = await pidOnceIn(endless.dir, 'pid');
    await until(() => !existsSync(`/proc/${pid}`));
    const outlived = isGroupLive(pid);
    time.passes();
    const second = await acting;

    expect(first.ending).toEqual({ kind: 'ok' });
    expect(existsSync(join(brief.dir, 'late'))).toBe(true);
    expect(outlived).toBe(true);
    expect(second.ending).toEqual({ kind: 'timed_out' });
    expect(isGroupLive(pid)).toBe(false);
  });

  test('that talks too much goes on to its end, and its last line is kept', async () => {
    const command = fakeCommand('for i in $(seq 2000); do echo "line $i of the launch"; done; echo /marin/hero-x-coord-1');

    const outcome = await createShell().act({
      ...invocation([command.path], { outputBytesMax: 1_000 }),
      intentId: 'i',
      onSpawn: () => undefined,
    });

    expect(outcome.ending).toEqual({ kind: 'output_too_long', exitCode: 0 });
    expect(outcome.stdout.toString()).toMatch(/\/marin\/hero-x-coord-1\n$/);
  });

  test('that could not be noted is killed, and the fault is ours', async () => {
    const command = fakeCommand('sleep 60; touch "$dir/acted"');
    const pids: number[] = [];

    const acting = createShell().act({
      ...invocation([command.path]),
      intentId: 'i',
      onSpawn: ({ pid }) => {
        pids.push(pid);
        throw new Error('the disk is full');
      },
    });

    await expect(acting).rejects.toThrow('the disk is full');
    await until(() => !isGroupLive(pids[0] ?? 0));
    expect(existsSync(join(command.dir, 'acted'))).toBe(false);
  });
});

test('a stop ends the reads and lets an act go on to its end', async () => {
  const shell = createShell();
  const reading = fakeCommand('echo $$ > "$dir/pid"; sleep 600');
  const acting = fakeCommand('echo begun > "$dir/begun"; sleep 0.5; echo done; touch "$dir/done"');
  const read = shell.read(invocation([reading.path]));
  const act = shell.act({ ...invocation([acting.path]), intentId: 'i', onSpawn: () => undefined });
  const pid = await pidOnceIn(reading.dir, 'pid');
  await until(() => existsSync(join(acting.dir, 'begun')));

  await shell.stop();

  expect((await read).ending.kind).toBe('killed');
  expect(isGroupLive(pid)).toBe(false);
  expect((await shell.read(invocation(['true']))).ending.kind).toBe('not_started');
  await until(() => existsSync(join(acting.dir, 'done')));
  expect((await act).stdout.toString()).toBe('done\n');
});
