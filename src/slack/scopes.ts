/**
 * What each Web API method that the bot calls needs, for a public channel and for a private one.
 * Source: contracts/slack-github-platform.md, 4.8; docs.slack.dev/reference/methods. A test holds this against the
 * sources and against manifest.yml.
 */
export const METHOD_SCOPES: Readonly<Record<string, readonly string[]>> = {
  'auth.test': [],
  'chat.postMessage': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'files.getUploadURLExternal': ['files:write'],
  'files.completeUploadExternal': ['files:write'],
  'conversations.history': ['channels:history', 'groups:history'],
  'conversations.replies': ['channels:history', 'groups:history'],
  'conversations.info': ['channels:read', 'groups:read'],
  'chat.postEphemeral': ['chat:write'],
  'users.info': ['users:read'],
  'usergroups.users.list': ['usergroups:read'],
  'views.open': [],
  'views.update': [],
  'views.publish': [],
};

/** Needed for what Slack sends us, which no method names. */
export const INGRESS_SCOPES: readonly string[] = ['commands'];

/** Events that Slack is to send us, and only these. Source: docs.slack.dev/reference/events/app_home_opened (no scope). */
export const BOT_EVENTS: readonly string[] = ['app_home_opened'];

/** All bot scopes, sorted: those of the manifest. */
export const BOT_SCOPES: readonly string[] = [...new Set([...INGRESS_SCOPES, ...Object.values(METHOD_SCOPES).flat()])].sort();

/** What a channel of this kind does not need: the scopes of the other kind may be missing. */
export function scopesFor(isPrivate: boolean): readonly string[] {
  return BOT_SCOPES.filter((scope) => !scope.startsWith(isPrivate ? 'channels:' : 'groups:'));
}
