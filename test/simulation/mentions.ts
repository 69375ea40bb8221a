export const REQUESTER = 'U0ASKER001';
export const APPROVER = 'U0APPROVE1';
export const ON_CALL = 'U0ONCALL01';
export const BYSTANDER = 'U0BYSTAND1';
export const PEOPLE: readonly [string, ...string[]] = [REQUESTER, APPROVER, ON_CALL, BYSTANDER];

/** Everybody that a text in Slack would notify and whom nobody meant. */
export function strangersMentioned(text: string): readonly string[] {
  return [...text.matchAll(/<(@[^>|]*|![^>|]*|#[^>|]*)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !target.startsWith('!date^') && !PEOPLE.some((id) => target === `@${id}`));
}

/** Everybody that a comment on GitHub would notify. */
export function mentionedOnGithub(body: string): readonly string[] {
  const prose = body.replace(/(`+)[^`][\s\S]*?\1/g, '').replace(/<!--[\s\S]*?-->/g, '');
  return [...prose.matchAll(/(?<![\w`])@[A-Za-z0-9][\w-]*/g)].map(([target]) => target);
}
