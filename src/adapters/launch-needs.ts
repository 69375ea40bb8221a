import { access, constants } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Credential } from '../protocol/outside.js';
import type { Outside } from './outside.js';
import { type Question, understood } from './question.js';

/** That what runs launch scripts can be started at all: it is first needed after the old run has been stopped. */
export function launcherQuestion({ commands: { launcher } }: Outside): Question<Credential> {
  return {
    name: 'launcher --version',
    command: launcher,
    args: ['--version'],
    parse: () => understood({ name: 'launcher', ok: true, detail: 'starts' }),
  };
}

/** That `gh` can be started at all: its word that nobody is logged in is an exit code that a broken program ends with too. */
export function ghQuestion({ commands: { gh } }: Outside): Question<Credential> {
  return {
    name: 'gh --version',
    command: gh,
    args: ['--version'],
    parse: () => understood({ name: 'gh --version', ok: true, detail: 'starts' }),
  };
}

/** The programs that a launch script calls by name, looked for where it would look: on the launcher's own PATH. */
export async function programsOfLaunch(outside: Outside, family: string): Promise<readonly Credential[]> {
  const folders = (outside.commands.launcher.env.PATH ?? '').split(':').filter(isAbsolute);
  return Promise.all(
    outside.familyOf(family).repository.launchNeeds.map(async (name) => {
      const found = await firstExecutable(folders.map((folder) => join(folder, name)));
      const detail = found ?? "not found on the launcher's PATH, where the launch script looks for it";
      return { name: `${name} for the launch script`, ok: found !== null, detail };
    }),
  );
}

async function firstExecutable(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    if (await isExecutable(path)) return path;
  }
  return null;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
