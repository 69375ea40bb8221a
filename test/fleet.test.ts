import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { resolveCommands } from '../src/adapters/command.js';
import { notInstalled } from '../src/adapters/installed.js';
import { loadEnvironment } from '../src/environment.js';
import { FleetError } from '../src/errors.js';
import { loadFleet, parseFleet } from '../src/fleet.js';
import { groupsNamedIn, roleListsOf } from '../src/person-list.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const example = readFileSync(join(root, 'harbor.example.yaml'), 'utf8');

/** The example with one line changed; that the line is there is part of the test. */
function changed(line: string, to: string): string {
  expect(example).toContain(line);
  return example.replace(line, to);
}

function faultOf(text: string): string {
  try {
    parseFleet(text, 'harbor.yaml');
  } catch (fault) {
    expect(fault).toBeInstanceOf(FleetError);
    return fault instanceof Error ? fault.message : '';
  }
  return 'no fault';
}

describe('the example fleet file', () => {
  test('loads, with the limits of a real hero run', () => {
    const fleet = loadFleet(join(root, 'harbor.example.yaml'));

    expect(fleet.families.hero).toMatchObject({
      gang: { tasks: 176, devices: 704 },
      windowSteps: 200,
      limits: { startUp: 80 * 60, hang: 15 * 60 },
    });
    expect(fleet.policy.hero.requesterMayApprove).toBe(false);
    expect(fleet.adapters.iris.command).toEqual(['uv', 'run', '--frozen', 'iris']);
  });

  test('holds no secret, only the names of variables that do', () => {
    const { adapters } = loadFleet(join(root, 'harbor.example.yaml'));
    const secretNames = /KEY|TOKEN|SECRET|PASSWORD/;

    const values = Object.values(adapters).flatMap(({ env }) => Object.entries(env));
    expect(values.filter(([name, value]) => secretNames.test(name) && !value.startsWith('$'))).toEqual([]);
    expect(() => resolveCommands(adapters, { PATH: '/usr/bin', WANDB_API_KEY: 'k' })).toThrow(
      'not set in the environment: HERO_S3_ACCESS_KEY_ID (adapters.objectstore.env.AWS_ACCESS_KEY_ID), HERO_S3_SECRET_ACCESS_KEY',
    );
  });

  test('shows the defaults: what is left out is what stands there', () => {
    const limits = /^ {4}limits:[^\n]*\n(?: {6}[^\n]*\n)+/m.exec(example)?.[0] ?? 'no limits';
    const without = changed(limits, '').replace('    windowSteps: 200', '    # windowSteps: 200').replace('  tickSeconds: 10', '  {}');

    expect(parseFleet(without, 'harbor.yaml')).toEqual(parseFleet(example, 'harbor.yaml'));
  });
});

test('the README names each setting of the fleet file, and no other', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const table = readme.slice(readme.indexOf('## Settings'), readme.indexOf('## Commands'));
  const named = [...table.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name = '']) => name);

  // For the local harbour, or for few: the example leaves them out.
  const elsewhere = ['slack.apiUrl', 'github.apiUrl', 'github.follows', 'metrics.NAME.sameBatches', 'values.NAME'];
  const expected = [...new Set([...settingsOf(parse(example), ''), ...elsewhere])];
  expect(named.toSorted()).toEqual(expected.toSorted());
});

/** The paths of all values, with `NAME` for the names that a fleet file chooses itself. */
function settingsOf(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || path.endsWith('.env')) return [path];
  const isMap = ['clusters', 'families', 'lanes', 'lanes.NAME.evidence.metrics', 'metrics', 'adapters'].includes(path);
  return Object.entries(value).flatMap(([key, each]) =>
    settingsOf(each, [path, isMap ? 'NAME' : key].filter((part) => part !== '').join('.')),
  );
}

describe('what cannot hold together, or is not for everybody to read', () => {
  const token = `ghp_${'a1'.repeat(18)}`;

  test.each([
    [
      '    cluster: marin\n    user: marin # IRIS',
      '    cluster: toString\n    user: marin # IRIS',
      'families.hero.cluster: no cluster "toString"',
    ],
    [
      'rollbackWorktree: /srv/harbormaster/rollback',
      'rollbackWorktree: /srv/x/../harbormaster/deploy/',
      'families.hero.repository.rollbackWorktree:',
    ],
    ['until: "20:00"', 'until: "07:00"', 'families.hero.workingHours.until: 07:00 is not after from, 08:00'],
    ['until: "20:00"', 'until: "08:00"', 'families.hero.workingHours.until:'],
    [
      '{ metric: grad_norm_total, above: 2, rows: 3 }',
      '{ metric: grad_norm_total, rows: 3 }',
      'families.hero.alerts.0: says neither above nor below',
    ],
    ['permanent: s3://hero/grug/{run}', 'permanent: hero/grug/{run}', 'families.hero.checkpoints.permanent: a URL such as'],
    ['secondChannel: C023BCDEFG', 'secondChannel: C012ABCDEF', 'slack.secondChannel:'],
    ['issue: 8506', 'issue: 8506\n  follows: 8506', 'github.follows:'],
    ['  port: 9464', '  port: 3000', 'no fault'],
    ['GH_TOKEN: $GH_TOKEN\n    timeoutSeconds', `GH_TOKEN: ${token}\n    timeoutSeconds`, 'adapters.gh.env.GH_TOKEN: looks like a secret'],
    ['command: [gh]', `command: [gh, --token=${token}]`, 'adapters.gh.command.1: looks like a secret'],
    [
      'https://objects.example.com',
      'https://bot:hunter2@objects.example.com',
      'adapters.objectstore.env.AWS_ENDPOINT_URL: looks like a secret',
    ],
    ['user: marin # IRIS', 'user: *nobody # IRIS', 'write the values out, without anchors and aliases'],
    ['version: 1', 'version: 1\n---\nversion: 1', 'several documents in one file'],
    ['    namespace: iris', '    # namespace', 'clusters.marin.namespace: is missing; expected string'],
  ])('%s → %s: %s', (line, to, told) => {
    const fault = faultOf(changed(line, to));
    expect(fault).toContain(told);
    for (const secret of [token, 'hunter2']) expect(fault).not.toContain(secret);
  });

  test('one port cannot serve both Slack and the supervisor', () => {
    const text = changed('mode: socket', 'mode: http').replace('  port: 9464', '  port: 3000');
    expect(faultOf(text)).toContain('health.port: 3000 is slack.port too');
  });
});

describe('a broken fleet file', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'harbor-fleet-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('that is not there is named', () => {
    expect(() => loadFleet(join(folder, 'none.yaml'))).toThrow(/^read fleet file .*none\.yaml: ENOENT/);
  });

  test('that is no YAML is told by line and column', () => {
    expect(faultOf('version: 1\ndata: [')).toMatch(/^parse fleet file harbor\.yaml:\n {2}.* at line 2, column \d+$/);
  });

  test('with a key twice is not read as either of the two', () => {
    expect(faultOf(changed('version: 1', 'version: 1\nversion: 1'))).toBe(
      'parse fleet file harbor.yaml:\n  version: stands here twice; keep one of the two',
    );
  });

  test('that is empty is no fleet', () => {
    expect(faultOf('')).toContain('(top level): ');
  });

  test('with a misspelt limit is refused, since a limit that is left out silently does not hold', () => {
    expect(faultOf(changed('      hang: 900', '      hnag: 900'))).toBe(
      'check fleet file harbor.yaml:\n  families.hero.limits.hnag: unrecognized key, there is no such setting',
    );
  });

  test('with a name where a user id belongs is refused, since names can be taken by anybody', () => {
    expect(faultOf(changed('override: [U034CDEFGH]', "override: ['@grace']"))).toBe(
      'check fleet file harbor.yaml:\n  people.hero.override.0: a Slack user id such as U012ABCDEF, or a user group id such as S012ABCDEF (ids only: names can be taken by anybody)',
    );
  });

  test('with a user group as the owner of a schedule is refused, since one person clears what it asks for; in a list it is read', () => {
    const owner = parseFleet(example, 'harbor.yaml').lanes['canary-tpu']?.schedule?.owner ?? '';
    expect(faultOf(changed(`owner: ${owner} #`, 'owner: S012ABCDEF #'))).toContain(
      '.schedule.owner: one person: a Slack user id such as U012ABCDEF',
    );

    expect(faultOf(changed(`owner: ${owner} #`, 'owner: U099STRANGER #'))).toContain('is not on people.ask, and so could clear nothing');

    const text = changed('ask: [U012ABCDEF, U023BCDEFG] # who may propose', 'ask: S012ABCDEF, U023BCDEFG # who may propose');
    expect(parseFleet(text, 'harbor.yaml').lanes.daily?.people.ask).toEqual(['S012ABCDEF', 'U023BCDEFG']);
    expect(groupsNamedIn(roleListsOf(parseFleet(text, 'harbor.yaml')))).toEqual([{ id: 'S012ABCDEF', lists: ['lanes.daily.people.ask'] }]);
  });

  test('whose family stands on a cluster that is not listed is refused', () => {
    expect(faultOf(changed('    cluster: marin\n', '    cluster: elsewhere\n'))).toContain(
      'families.hero.cluster: no cluster "elsewhere" under clusters',
    );
  });

  test('is told of all its faults at once', () => {
    const text = changed('zone: America/Los_Angeles', 'zone: Mars/Olympus').replace('channel: C012ABCDEF', "channel: '#hero-ops'");

    expect(faultOf(text)).toContain('families.hero.workingHours.zone: an IANA time zone such as Europe/Berlin');
    expect(faultOf(text)).toContain('slack.channel: a Slack channel id such as C012ABCDEF');
  });

  const single: readonly (readonly [what: string, line: string, to: string, fault: string])[] = [
    ['a key at the top', 'version: 1', 'version: 1\nfamly: {}', 'famly: unrecognized key, there is no such setting'],
    ['a wrong type', '      hang: 900', '      hang: soon', 'families.hero.limits.hang: Invalid input: expected number, received string'],
    [
      'a relative folder for the record',
      'data: /var/lib/harbormaster',
      'data: lib',
      'data: an absolute path: what it is relative to would depend on where the bot was started',
    ],
    [
      'a relative worktree',
      'deployWorktree: /srv/harbormaster/deploy',
      'deployWorktree: ./deploy',
      'families.hero.repository.deployWorktree: an absolute path: what it is relative to would depend on where the bot was started',
    ],
    [
      'a relative executable',
      '[/opt/harbormaster/bin/tracker]',
      '[bin/tracker]',
      'adapters.tracker.command: an absolute path, or a bare name that is found in PATH',
    ],
    [
      'a launch script outside the repository',
      'launchScript: experiments/',
      'launchScript: ../experiments/',
      'families.hero.repository.launchScript: a path inside the repository',
    ],
    [
      'an unknown placeholder',
      's3://hero/grug/{run}/2026',
      's3://hero/{user}/{run}/2026',
      'families.hero.checkpoints.permanent: has an unknown placeholder: only {run} stands for anything',
    ],
    [
      'no placeholder',
      's3://hero/grug/{run}/2026',
      's3://hero/grug/x/2026',
      'families.hero.checkpoints.permanent: holds {run}, which stands for the run id',
    ],
    [
      'a variable that is none',
      'GH_TOKEN: $GH_TOKEN\n    timeoutSeconds: 30',
      'GH_TOKEN: $' + '{GH_TOKEN}\n    timeoutSeconds: 30',
      "adapters.gh.env.GH_TOKEN: a text, or $NAME for a variable of the bot's own",
    ],
  ];

  test.each(single)('with %s is one clear line with the path of the key', (_what, line, to, fault) => {
    expect(faultOf(changed(line, to))).toBe(`check fleet file harbor.yaml:\n  ${fault}`);
  });

  test('with two clusters of one name has neither of the two', () => {
    const cluster = '  marin: { scheduler: other, telemetry: other, namespace: other }\n';

    expect(faultOf(changed('clusters:\n', `clusters:\n${cluster}`))).toBe(
      'parse fleet file harbor.yaml:\n  clusters.marin: stands here twice; keep one of the two',
    );
  });

  test('F82: with the value of a secret in a command line is refused, since everybody on the machine can read it', () => {
    const { adapters } = parseFleet(example.replace('[uv, run, --frozen, iris]', '[iris, --token, s3cr3t-value-123]'), 'harbor.yaml');
    const env = {
      PATH: '/usr/bin',
      WANDB_API_KEY: 'k',
      HERO_S3_ACCESS_KEY_ID: 'k',
      HERO_S3_SECRET_ACCESS_KEY: 'k',
      GH_TOKEN: 's3cr3t-value-123',
    };

    expect(() => resolveCommands(adapters, env)).toThrow(
      'adapters.iris.command.2 holds a secret: hand it over by env, where nobody sees it',
    );
    expect(() => resolveCommands(adapters, { ...env, GH_TOKEN: 'another' })).not.toThrow();
  });

  test('whose executables are not on this machine names each of them, before anything is started', () => {
    const { adapters } = parseFleet(example.replace('[git]', '[no-such-git]'), 'harbor.yaml');

    expect(
      notInstalled({ adapters, lanes: {} }, { PATH: '/usr/bin:/bin' }).filter(
        (fault) => !/adapters\.(iris|finelog|gh|kubectl)\b/.test(fault),
      ),
    ).toEqual([
      'adapters.git.command: there is no executable "no-such-git" in PATH',
      'adapters.objectstore.command: there is no executable /opt/harbormaster/bin/objectstore',
      'adapters.tracker.command: there is no executable /opt/harbormaster/bin/tracker',
    ]);
    expect(notInstalled({ adapters, lanes: {} }, { PATH: '' })).toContain('adapters.iris.cwd: there is no folder /srv/harbormaster/tools');
  });

  test('starts nothing: exit code 2, and no folder is made', () => {
    const data = join(folder, 'data');
    const file = join(folder, 'harbor.yaml');
    writeFileSync(file, changed('data: /var/lib/harbormaster', `data: ${data}`).replace('version: 1', 'version: 2'));

    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/src/cli.js'), 'start', '--fleet', file], {
      encoding: 'utf8',
      timeout: 120_000,
    });

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('harbor: check fleet file');
    expect(existsSync(data)).toBe(false);
  });
});

describe('secrets', () => {
  const socket = { slack: { channel: 'C012ABCDEF', mode: 'socket', port: 3000 } } as const;
  const http = { slack: { ...socket.slack, mode: 'http' } } as const;

  test('that are not set are all named, before anything is started', () => {
    expect(() => loadEnvironment({ SLACK_BOT_TOKEN: 'xoxb-1' }, http)).toThrow(
      'read environment: not set: SLACK_SIGNING_SECRET, GITHUB_TOKEN',
    );
    expect(() => loadEnvironment({ GITHUB_APP_ID: '7' }, socket)).toThrow(
      'read environment: not set: SLACK_BOT_TOKEN, SLACK_APP_TOKEN, GITHUB_APP_PRIVATE_KEY',
    );
  });

  test('of an app may come with their line ends written out, and never beside a token', () => {
    const app = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', GITHUB_APP_ID: '7', GITHUB_APP_PRIVATE_KEY: 'BEGIN\\nEND' };

    expect(loadEnvironment(app, socket)).toEqual({
      botToken: 'xoxb-1',
      slack: { mode: 'socket', appToken: 'xapp-1' },
      github: { kind: 'app', appId: '7', privateKey: 'BEGIN\nEND' },
    });
    expect(() => loadEnvironment({ ...app, GITHUB_TOKEN: 'ghp_1' }, socket)).toThrow('both set; keep one');
  });
});
