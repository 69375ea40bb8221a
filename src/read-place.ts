import { resolve } from 'node:path';
import { type Command, type Commands, resolveCommands } from './adapters/command.js';
import { createOutside, type FleetPlaces, type Outside } from './adapters/outside.js';
import { createAsk } from './adapters/question.js';
import { createScrub, secretsIn } from './adapters/scrub.js';
import { createShell } from './adapters/shell.js';
import type { Fleet } from './fleet.js';
import { type ReadVerb, WrongArgumentError } from './read-verbs.js';

type AdapterName = keyof Fleet['adapters'];

/** The names by which people call the outside systems, and the commands of the fleet file that stand for them. */
const PROVIDERS: Readonly<Record<string, AdapterName>> = {
  iris: 'iris',
  finelog: 'finelog',
  kubernetes: 'kubectl',
  kubectl: 'kubectl',
  objectstore: 'objectstore',
  git: 'git',
  wandb: 'tracker',
  tracker: 'tracker',
};

const TIMEOUT_SECONDS = 10;

/** Where one reading is taken. */
export interface ReadPlace {
  readonly outside: Outside;
  readonly family: string;
  readonly provider: string;
}

/** Families, clusters and executables: a fleet, or what stands for one. */
export type Places = FleetPlaces & Pick<Fleet, 'adapters'>;

export interface PlaceOptions {
  readonly provider?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly env?: readonly string[] | undefined;
  readonly family?: string | undefined;
  readonly cluster?: string | undefined;
  readonly deployment?: string | undefined;
  readonly namespace?: string | undefined;
  readonly entity?: string | undefined;
  readonly project?: string | undefined;
  readonly remote?: string | undefined;
  readonly timeout?: string | undefined;
}

/** The places of a hero run, for a reading without a fleet file. Source: contracts/iris-and-ferries.md 1.1, 3.1, 4.2, 4.3. */
export function placesOf(family: string): Places {
  const named = (name: string) => ({ command: [name], env: {}, timeoutSeconds: TIMEOUT_SECONDS });
  return {
    clusters: { marin: { scheduler: 'marin', telemetry: 'cw-us-east-08a', namespace: 'iris', nodes: { device: 'nvidia.com/gpu' } } },
    families: {
      [family]: {
        cluster: 'marin',
        user: 'marin',
        repository: {
          remote: 'origin',
          branch: 'main',
          deployWorktree: '/nowhere/deploy',
          rollbackWorktree: '/nowhere/rollback',
          launchScript: 'experiments/grug/moe_hero_ep/trigger_hero.sh',
          runIdFile: 'experiments/grug/moe_hero_ep/current_run.py',
          launchNeeds: ['gh', 'git'],
        },
        checkpoints: { permanent: 's3://hero/grug/{run}/2026.08.19.2/checkpoints' },
        tracker: { entity: 'marin-community', project: 'marin_moe' },
      },
    },
    adapters: {
      iris: named('iris'),
      finelog: named('finelog'),
      kubectl: named('kubectl'),
      git: named('git'),
      objectstore: named('objectstore'),
      tracker: named('tracker'),
      gh: named('gh'),
      analysis: named('analysis'),
      launcher: named('bash'),
    },
  };
}

/** Puts together what one reading needs. Throws WrongArgumentError or FleetError for what does not fit. */
export function placeOf(verb: ReadVerb, options: PlaceOptions, env: NodeJS.ProcessEnv, places: Places, now: () => Date): ReadPlace {
  const provider = options.provider ?? verb.provider;
  const adapter = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (adapter === undefined || adapter !== PROVIDERS[verb.provider]) {
    throw new WrongArgumentError(`--provider ${provider}: ${verb.usage.split(' ')[0]} is answered by ${verb.provider}`);
  }
  const family = options.family ?? onlyFamily(places);
  const commands = commandsOf(adapter, verb, options, env, places);
  const scrub = createScrub([env, ...Object.values(commands).map((command) => command.env)].flatMap(secretsIn));
  const outside = createOutside(moved(places, family, options), commands, createAsk({ shell: createShell(), scrub, now }), scrub, now);
  return { outside, family, provider };
}

function onlyFamily({ families }: Places): string {
  const [only, ...more] = Object.keys(families);
  if (only === undefined || more.length > 0) throw new WrongArgumentError(`--family is one of ${Object.keys(families).join(', ')}`);
  return only;
}

// An executable that is typed stands for itself: neither the folder nor the environment of the one it replaces is its own.
function commandsOf(adapter: AdapterName, verb: ReadVerb, options: PlaceOptions, env: NodeJS.ProcessEnv, places: Places): Commands {
  const [file, ...words] = options.command ?? [];
  const { timeoutSeconds } = places.adapters[adapter];
  // A path is meant from where the command was called, whatever folder the executable is started in.
  const typed =
    file === undefined ? {} : { [adapter]: { command: [file.includes('/') ? resolve(file) : file, ...words], env: {}, timeoutSeconds } };
  const commands = resolveCommands({ ...places.adapters, ...typed }, env, verb.asksMany === true ? undefined : adapter);
  const given: Command = {
    ...commands[adapter],
    env: { ...commands[adapter].env, ...handedOn(options.env ?? [], env) },
    ...(options.timeout === undefined ? {} : { timeoutMs: secondsOf(options.timeout) * 1000 }),
  };
  return { ...commands, [adapter]: given };
}

function handedOn(names: readonly string[], env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.map((name) => {
      const value = env[name];
      if (value === undefined) throw new WrongArgumentError(`--env ${name}: not set (a name, never a value)`);
      return [name, value];
    }),
  );
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 3600)) throw new WrongArgumentError(`--timeout ${text}: seconds, above 0 and at most 3600`);
  return seconds;
}

// What is typed wins over the fleet file, for this one reading.
function moved(places: Places, family: string, options: PlaceOptions): FleetPlaces {
  const place = Object.hasOwn(places.families, family) ? places.families[family] : undefined;
  const cluster = place === undefined ? undefined : places.clusters[place.cluster];
  if (place === undefined || cluster === undefined) throw new WrongArgumentError(`--family ${family}: not in the fleet file`);
  const { entity = place.tracker.entity, project = place.tracker.project, remote = place.repository.remote } = options;
  return {
    families: {
      [family]: {
        ...place,
        tracker: { entity: name(entity), project: name(project) },
        repository: { ...place.repository, remote: name(remote) },
      },
    },
    clusters: {
      [place.cluster]: {
        ...cluster,
        scheduler: name(options.cluster ?? cluster.scheduler),
        telemetry: name(options.deployment ?? cluster.telemetry),
        namespace: name(options.namespace ?? cluster.namespace),
      },
    },
  };
}

// It becomes an argument of its own, so it must not look like an option.
function name(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(text)) return text;
  throw new WrongArgumentError(`${JSON.stringify(text.slice(0, 80))} is no name of letters, digits, "_", "." and "-"`);
}
