import { FleetError } from '../errors.js';
import type { CommandConfig, Fleet } from '../fleet.js';
import { secretsIn } from './scrub.js';

/** An executable of the fleet file, with its environment resolved: PATH, HOME and what the file names, nothing else. */
export interface Command {
  readonly argv: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export type Commands = { readonly [Name in keyof Fleet['adapters']]: Command };

/**
 * Resolves every command of the fleet file. Throws FleetError naming each `$NAME` that the environment does not set, of
 * all of them or only of the one that will be run.
 */
export function resolveCommands(adapters: Fleet['adapters'], env: NodeJS.ProcessEnv, only?: keyof Fleet['adapters']): Commands {
  const missing: string[] = [];
  const resolve = (config: CommandConfig, name: string): Command =>
    resolveCommand(config, name, env, only === undefined || only === name ? missing : []);
  const commands = {
    iris: resolve(adapters.iris, 'iris'),
    finelog: resolve(adapters.finelog, 'finelog'),
    kubectl: resolve(adapters.kubectl, 'kubectl'),
    git: resolve(adapters.git, 'git'),
    objectstore: resolve(adapters.objectstore, 'objectstore'),
    tracker: resolve(adapters.tracker, 'tracker'),
    gh: resolve(adapters.gh, 'gh'),
    analysis: resolve(adapters.analysis, 'analysis'),
    launcher: resolve(adapters.launcher, 'launcher'),
  };
  if (missing.length > 0) throw new FleetError(`resolve adapters of the fleet file: not set in the environment: ${missing.join(', ')}`);
  return commands;
}

function resolveCommand(config: CommandConfig, name: string, env: NodeJS.ProcessEnv, missing: string[]): Command {
  const own: Record<string, string> = {};
  for (const variable of ['PATH', 'HOME']) {
    const value = env[variable];
    if (value !== undefined) own[variable] = value;
  }
  for (const [variable, value] of Object.entries(config.env)) {
    const reference = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1];
    const resolved = reference === undefined ? value : env[reference];
    if (resolved === undefined) missing.push(`${reference} (adapters.${name}.env.${variable})`);
    else own[variable] = resolved;
  }
  refuseSecretWords(config.command, name, [env, own]);
  return {
    argv: config.command,
    ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
    env: own,
    timeoutMs: config.timeoutSeconds * 1000,
  };
}

// Everybody on the machine can read a command line.
function refuseSecretWords(
  words: readonly string[],
  name: string,
  environments: readonly Readonly<Record<string, string | undefined>>[],
): void {
  const secrets = environments.flatMap(secretsIn);
  const at = words.findIndex((word) => secrets.some((secret) => word.includes(secret)));
  if (at === -1) return;
  throw new FleetError(
    `resolve adapters of the fleet file: adapters.${name}.command.${at} holds a secret: hand it over by env, where nobody sees it`,
  );
}
