/** Somebody who uses the local Slack: `id` is what the bot sees, `name` the handle typed after `@`. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly realName?: string | undefined;
  /** IANA zone of the person's own clock; UTC where it is left out. */
  readonly zone?: string | undefined;
  readonly role: 'requester' | 'approver' | 'bystander';
}

/** A channel of the local Slack. */
export interface Channel {
  readonly id: string;
  readonly name: string;
}

/** The bot as Slack knows it: every post carries these, and `auth.test` answers them. */
export const BOT = {
  appId: 'A0HARB0R01',
  botId: 'B0HARB0R01',
  userId: 'U0HARB0R01',
  name: 'harbormaster',
} as const;

/** The emulator's one team. */
export const TEAM = { id: 'T000000001', domain: 'local-harbour' } as const;
