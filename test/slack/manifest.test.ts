import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { BOT_EVENTS, BOT_SCOPES, METHOD_SCOPES } from '../../src/slack/scopes.js';

const root = join(import.meta.dirname, '..', '..');
const manifest = parse(readFileSync(join(root, 'manifest.yml'), 'utf8'));

/** The sources that talk to Slack, by name. */
function sources(): readonly (readonly [string, string])[] {
  return ['src', 'commands'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('/local'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(root, file), readFileSync(file, 'utf8')] as const),
  );
}

test('each Web API method that the code calls has its scopes listed, and none is listed that is not called', () => {
  const families = 'api|apps|auth|chat|conversations|files|reactions|team|usergroups|users|views';
  const call = new RegExp(`\\bclient\\s*\\.\\s*((?:${families})(?:\\s*\\.\\s*[a-zA-Z]+)+)\\(`, 'g');

  const called = sources()
    .filter(([, text]) => /@slack\/(bolt|web-api)/.test(text))
    .flatMap(([, text]) => [...text.matchAll(call)].map(([, method = '']) => method.replace(/\s/g, '')));

  expect([...new Set(called)].sort()).toEqual(Object.keys(METHOD_SCOPES).sort());
});

test('the manifest asks for the scopes that are needed, and for no other', () => {
  expect(manifest.oauth_config.scopes.bot.toSorted()).toEqual(BOT_SCOPES);
  expect(Object.keys(manifest.oauth_config.scopes)).toEqual(['bot']);
});

test('the manifest has each slash command that the code answers, escaped, and no other', () => {
  const answered = sources().flatMap(([, text]) => [...text.matchAll(/\bapp\.command\('(\/[a-z-]+)'/g)].map(([, command]) => command));

  const listed = manifest.features.slash_commands.map(({ command }: { command: string }) => command);
  expect(listed.toSorted()).toEqual(answered.toSorted());
  expect(manifest.features.slash_commands.every(({ should_escape }: { should_escape: boolean }) => should_escape)).toBe(true);
});

test('the manifest subscribes to each event that the code answers, and to no other, and has a Home tab to draw', () => {
  const answered = sources().flatMap(([, text]) => [...text.matchAll(/\bapp\.event\('([a-z_]+)'/g)].map(([, event]) => event));

  expect(manifest.settings.event_subscriptions).toEqual({ bot_events: BOT_EVENTS });
  expect(answered.toSorted()).toEqual(BOT_EVENTS);
  expect(manifest.features.app_home).toEqual({ home_tab_enabled: true, messages_tab_enabled: false });
});

test('the manifest is inside the limits of Slack, and opens a socket instead of being reached', () => {
  const { display_information: shown, features, settings } = manifest;

  expect(shown.name.length).toBeLessThanOrEqual(35);
  expect(shown.description.length).toBeLessThanOrEqual(140);
  expect(features.bot_user.display_name).toMatch(/^[a-z0-9._-]{1,80}$/);
  for (const { command, description, usage_hint } of features.slash_commands) {
    expect(command).toMatch(/^\/[a-z-]{1,31}$/);
    expect(description.length).toBeLessThanOrEqual(2_000);
    expect(usage_hint.length).toBeLessThanOrEqual(1_000);
  }
  expect(settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true }, token_rotation_enabled: false });
  expect(JSON.stringify(manifest)).not.toContain('https://');
});
