import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Document, parse, parseDocument } from 'yaml';
import { APPROVER, ASKER } from '../../src/local/fleet.js';
import { SECRETS, SocketHarbour } from './socket-harbour.js';

/** docs/install.md, followed word for word by somebody whose cluster, Slack and GitHub are the local stand-ins. */

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'install.md'), 'utf8');

/** The contents of the fences of a kind, in order. */
function fences(kind: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);
}

/** What the page's table says is the reader's own to set. */
const SETTINGS = [...page.slice(page.indexOf('## 5.'), page.indexOf('## 6.')).matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
);

let harbour: SocketHarbour;
let checkout = '';
beforeAll(async () => {
  harbour = await SocketHarbour.standIns();
  checkout = mkdtempSync(join(tmpdir(), 'harbor-install-'));
  for (const name of ['dist', 'node_modules', 'package.json', 'migrations', 'docs', 'harbor.example.yaml', 'manifest.yml']) {
    symlinkSync(join(root, name), join(checkout, name));
  }
});
afterAll(async () => {
  await harbour.stop();
  rmSync(checkout, { recursive: true, force: true });
});

/** What a reader puts in for the words that are to be replaced. */
function filledIn(commands: string): string {
  return commands
    .replace('xoxb-put-in-yours', SECRETS.SLACK_BOT_TOKEN)
    .replace('xapp-put-in-yours', SECRETS.SLACK_APP_TOKEN)
    .replace('GITHUB_TOKEN=put-in-yours', `GITHUB_TOKEN=${SECRETS.GITHUB_TOKEN}`)
    .replaceAll('put-in-yours', 'a-secret-of-mine');
}

/** `npm ci` has been run for the checkout of this test already; any other use of npm would not be on the page. */
const NPM = 'npm() { [ "$*" = ci ] || { echo "npm $*: not on the page" >&2; exit 9; }; }\n';

function run(script: string): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, HOME: harbour.home };
    execFile('bash', ['-ec', NPM + script], { cwd: checkout, env, timeout: 240_000 }, (fault, out, err) =>
      resolve({ code: fault === null ? 0 : Number(fault.code), out, err }),
    );
  });
}

/** Sets what the table lists, and where the stand-ins are to be found; nothing else. */
function editFleetFile(): void {
  const file = join(checkout, 'harbor.yaml');
  const document: Document = parseDocument(readFileSync(file, 'utf8'));
  const theirs = new Document(parse(readFileSync(harbour.fleetFile, 'utf8')));
  const lanes = Object.keys(document.toJS().lanes);
  // No lane sails among the stand-ins: whose the page's own are is for the reader to say.
  for (const lane of lanes) {
    theirs.setIn(['lanes', lane, 'people'], { ask: [ASKER.id], decide: [APPROVER.id] });
    theirs.setIn(['lanes', lane, 'schedule', 'owner'], ASKER.id);
  }
  const settings = SETTINGS.flatMap((setting) =>
    setting.includes('.NAME.') ? lanes.map((lane) => setting.replace('NAME', lane)) : setting,
  );
  for (const setting of [...settings, 'slack.apiUrl', 'github.apiUrl', 'health.port']) {
    const path = setting.split('.');
    const value = theirs.getIn(path);
    if (path.includes('schedule') && !document.hasIn(path)) continue; // a lane without a schedule has no owner
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, value);
  }
  writeFileSync(file, document.toString());
}

test('the commands of the page, in one shell, reach a check in which all is known', async () => {
  const [needs = '', secrets = '', copy = '', check = '', start = ''] = fences('sh');
  const before = await run([needs, filledIn(secrets), copy].join('\n'));
  editFleetFile();
  const checked = await run([`. ./secrets`, check].join('\n'));

  expect(before).toMatchObject({ code: 0, out: expect.stringMatching(/^harbormaster \d+\.\d+\.\d+\n$/), err: '' });
  expect(SETTINGS.length).toBeGreaterThan(12);
  expect(checked.out).toMatch(/^hero: all \d+ known:/m);
  expect(checked.code).toBe(0);
  expect(start).toContain(' start --fleet harbor.yaml');
});

test('started as the page says, its table is right in every line, and the first rehearsal is answered', async () => {
  const [, secrets = '', , , start = ''] = fences('sh');
  const script = `${filledIn(secrets)}\nexec ${start}`;
  const env = { PATH: process.env.PATH, HOME: harbour.home };
  const child = spawn('bash', ['-ec', script], { cwd: checkout, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const table = linesOf(child, 'stderr');
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`it ended before it was ready:\n${table.join('\n')}`)));
  const [ready] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  ended.catch(() => undefined); // from here on it may end
  const said = await rehearse();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');

  expect(JSON.parse(`${ready}`)).toMatchObject({ ready: true, port: null });
  const shown = /^ok .*(?:\n.*)*?(?=\n```)/m.exec(page)?.[0].split('\n') ?? [];
  const found = table.filter((line) => /^(ok|WRONG|unknown) /.test(line));
  expect(found.map(labelOf)).toEqual(shown.map(labelOf));
  expect(said.at(-1)).toMatch(/this is how things stand for the next one\. Nothing was changed/);
  expect(code).toBe(0);
});

/** Says the page's commands in the channel; resolves with what was answered. */
async function rehearse(): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const command of (fences('slack')[0] ?? '').trim().split('\n')) {
    const before = harbour.deskItself.ephemerals(ASKER.id).length;
    const delivery = await harbour.deskItself.says(ASKER.id, command);
    expect(delivery.kind).toBe('acknowledged');
    const deadline = Date.now() + 120_000;
    while (harbour.deskItself.ephemerals(ASKER.id).length === before && Date.now() < deadline)
      await new Promise((later) => setTimeout(later, 50));
    answers.push(harbour.deskItself.ephemerals(ASKER.id).at(-1)?.text ?? '');
  }
  return answers;
}

/** The state, the side and the subject of a line of the table: what the page shows of another workspace is like ours. */
function labelOf(line: string): string {
  return line.slice(0, 33).trim();
}

function linesOf(child: ChildProcess, stream: 'stdout' | 'stderr'): string[] {
  const lines: string[] = [];
  const input = child[stream];
  if (input !== null) createInterface({ input }).on('line', (line) => lines.push(line));
  return lines;
}

test('the unit starts what the page installs, drains it, lets what acts live on, and restarts nothing that a restart cannot mend', () => {
  const unit = readFileSync(join(root, 'docs', 'harbormaster.service'), 'utf8');
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  const formats = readFileSync(join(root, 'docs', 'formats.md'), 'utf8');
  const codes = [...formats.matchAll(/^\| (\d) +\|.*`start`/gm)].map(([, code]) => code);

  expect(value('ExecStart')).toBe('/usr/bin/node /opt/harbormaster/dist/src/cli.js start --fleet /etc/harbormaster/harbor.yaml');
  expect(value('EnvironmentFile')).toBe('/etc/harbormaster/secrets');
  expect([value('KillMode'), value('KillSignal'), value('Restart')]).toEqual(['process', 'SIGTERM', 'on-failure']);
  expect(value('RestartPreventExitStatus').split(' ')).toEqual(['2', ...codes.filter((code) => Number(code) > 3)]);
  for (const file of ['/etc/harbormaster', '/opt/harbormaster', 'docs/harbormaster.service']) expect(page).toContain(file);
});
