import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEDULER_NAME } from './programs/iris.js';

/** What each executable prints when the cluster does not answer. Exit 1, standard output empty. */
const UNREACHABLE = {
  iris: 'Error: Could not connect to controller: Connection refused',
  finelog: 'Traceback (most recent call last):\nconnectrpc.errors.ConnectError: UNAVAILABLE: Connection refused',
  kubectl: 'The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?',
  objectstore: 'Traceback (most recent call last):\nbotocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL',
  tracker: 'Traceback (most recent call last):\nwandb.errors.CommError: The API cannot be reached',
  gh: 'error connecting to api.github.com',
  analysis: 'Failed to analyze run: The API cannot be reached',
} as const;

export type Program = keyof typeof UNREACHABLE;
export const PROGRAMS = Object.keys(UNREACHABLE) as readonly Program[];

/**
 * Writes the executables into a folder. Each is a few lines of bash that send the call over a socket of bash's own and
 * print what comes back, since they are started many times a second: no process is started but one `cat`.
 *
 * A call is fields ended by NUL, which no argument can contain; an answer is a line "exit code, length of standard error",
 * then that many bytes of standard error, then standard output until the end.
 */
export function writeExecutables(folder: string, port: number, token: string): void {
  mkdirSync(folder, { recursive: true });
  for (const program of PROGRAMS) {
    const path = join(folder, program);
    writeFileSync(`${path}.new`, scriptOf(program, port, token));
    chmodSync(`${path}.new`, 0o755);
    renameSync(`${path}.new`, path);
  }
}

function scriptOf(program: Program, port: number, token: string): string {
  return `#!/usr/bin/env bash
# ${program} of the simulated cluster ${SCHEDULER_NAME}.
unreachable() {
  printf '%s\\n' ${bashQuoted(UNREACHABLE[program])} >&2
  exit 1
}
LC_ALL=C
{ exec 3<>/dev/tcp/127.0.0.1/${port}; } 2>/dev/null || unreachable
trap '' PIPE
printf '%s\\0' ${token} ${program} "$PWD" "\${IRIS_USER-}" "\${WANDB_API_KEY-}" "$#" "$@" >&3 2>/dev/null || unreachable
read -r code errors <&3 || unreachable
trap - PIPE
((errors == 0)) || head -c "$errors" <&3 >&2
cat <&3
exit "$code"
`;
}

function bashQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
