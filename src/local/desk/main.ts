import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { z } from 'zod';
import { OpsError, UsageError } from '../../errors.js';
import { type Desk, startDesk } from './desk.js';
import { DeskError } from './desk-error.js';
import { Order, obey } from './orders.js';
import { isRecord, type Json, parseJson, textOf } from './record.js';
import { json, plain, readBody, send } from './web.js';

/**
 * The desk as a process: its options are one JSON argument, it prints one JSON line when it is ready, takes orders on
 * `POST <controlUrl>` with `authorization: Bearer <controlToken>`, and ends on SIGTERM or when its parent has gone.
 */

const Person = z.strictObject({
  id: z.string().min(1),
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'a handle of small letters, digits, ".", "_" and "-"'),
  realName: z.string().optional(),
  zone: z.string().optional(),
  role: z.enum(['requester', 'approver', 'bystander']),
});
const Channel = z.strictObject({ id: z.string().min(1), name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/) });
const Options = z.strictObject({
  port: z.int().min(0).max(65535).optional(),
  controlToken: z.string().min(16),
  signingSecret: z.string().min(1),
  botToken: z.string().min(1),
  githubToken: z.string().min(1),
  ghToken: z.string().min(1),
  people: z.array(Person).min(1),
  channels: z.array(Channel).min(1),
  github: z.strictObject({ owner: z.string().min(1), repository: z.string().min(1), issueTitle: z.string().min(1) }),
  ackMs: z.int().min(1).optional(),
  page: z
    .strictObject({
      token: z.string().min(16),
      /** Where the page's wishes about the harbour itself are posted, as `{ action: … }`. */
      harbourUrl: z.url().optional(),
      harbourToken: z.string().optional(),
      states: z.record(z.string(), z.string()).optional(),
      suggestions: z.array(z.strictObject({ label: z.string(), text: z.string() })).optional(),
    })
    .optional(),
});

/** The JSON argument of a desk process. */
export type DeskProcessOptions = z.infer<typeof Options>;

function parseOptions(argument: string | undefined): DeskProcessOptions {
  let given: unknown;
  try {
    given = JSON.parse(argument ?? '');
  } catch (cause) {
    throw new UsageError('start desk: the options are one JSON argument', { cause });
  }
  const parsed = Options.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UsageError(`start desk: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`);
}

/** What the harbour is asked for goes to its own address, since a process cannot be handed a function. */
function harbourControl(page: DeskProcessOptions['page']): ((action: Json) => Promise<unknown>) | undefined {
  const { harbourUrl, harbourToken = '' } = page ?? {};
  if (harbourUrl === undefined) return undefined;
  return async (action) => {
    const response = await fetch(harbourUrl, {
      method: 'POST',
      headers: { authorization: `Bearer ${harbourToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(action),
      signal: AbortSignal.timeout(30_000),
    });
    const answer = parseJson(await response.text());
    if (!response.ok)
      throw new DeskError(
        isRecord(answer) && textOf(answer.error) !== '' ? textOf(answer.error) : `the harbour answered ${response.status}`,
      );
    return answer;
  };
}

/** Takes orders on a loopback port of its own: the desk's own address is for Slack, GitHub and the page only. */
function takeOrders(desk: Desk, controlToken: string): Promise<string> {
  const wanted = Buffer.from(`Bearer ${controlToken}`);
  const server = createServer(async (request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      send(response, plain('wrong token\n', 401));
      return;
    }
    if (request.method !== 'POST' || request.url !== '/control') {
      send(response, plain('POST /control only\n', 404));
      return;
    }
    try {
      const order = Order.safeParse(parseJson(await readBody(request)));
      if (!order.success) send(response, json({ ok: false, error: 'bad_order', message: z.prettifyError(order.error) }, 400));
      else send(response, json({ ok: true, answer: (await obey(desk, order.data)) ?? null }));
    } catch (cause) {
      const error = cause instanceof OpsError ? cause.code : 'fault';
      send(response, json({ ok: false, error, message: cause instanceof Error ? cause.message : String(cause) }, 409));
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/control`);
    });
  });
}

async function main(argument: string | undefined): Promise<void> {
  const parent = process.ppid;
  const { controlToken, page, ...options } = parseOptions(argument);
  const desk = await startDesk({ ...options, page: page === undefined ? undefined : { ...page, harbourControl: harbourControl(page) } });
  const controlUrl = await takeOrders(desk, controlToken);
  const end = (): void => void desk.stop().then(() => process.exit(0));
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  // An orphan is handed to another parent: nobody is left who could end it.
  setInterval(() => process.ppid !== parent && end(), 500).unref();
  const { url, slackApiUrl, githubApiUrl, pageUrl, issueNumber } = desk;
  process.stdout.write(`${JSON.stringify({ url, slackApiUrl, githubApiUrl, pageUrl, controlUrl, issueNumber })}\n`);
}

try {
  await main(process.argv[2]);
} catch (fault) {
  process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exit(fault instanceof OpsError ? fault.exitCode : 1);
}
