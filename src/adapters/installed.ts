import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CommandConfig, Fleet } from '../fleet.js';

/**
 * What the executables of a fleet file lack on this machine, a line each with the path of the key; none of them is run. What
 * only lanes use is not asked for where there are none.
 */
export function notInstalled({ adapters, lanes }: Pick<Fleet, 'adapters' | 'lanes'>, env: NodeJS.ProcessEnv): readonly string[] {
  const used = Object.entries(adapters).filter(([name]) => name !== 'analysis' || Object.keys(lanes).length > 0);
  return used.flatMap(([name, config]) => {
    const { command, cwd } = config;
    const [file = ''] = command;
    return [
      ...(isInstalled(file, config, env) ? [] : [`adapters.${name}.command: ${whatIsMissing(file)}`]),
      ...(cwd === undefined || isFolder(cwd) ? [] : [`adapters.${name}.cwd: there is no folder ${cwd}`]),
    ];
  });
}

function isInstalled(file: string, config: CommandConfig, env: NodeJS.ProcessEnv): boolean {
  if (isAbsolute(file)) return isExecutable(file);
  return searchPath(config, env)
    .split(delimiter)
    .some((folder) => folder !== '' && isExecutable(join(folder, file)));
}

// The executable's own PATH, where the fleet file gives it one, is the one it is searched in.
function searchPath({ env: own }: CommandConfig, env: NodeJS.ProcessEnv): string {
  const given = own.PATH ?? '$PATH';
  return given === '$PATH' ? (env.PATH ?? '') : given;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function whatIsMissing(file: string): string {
  return isAbsolute(file) ? `there is no executable ${file}` : `there is no executable "${file}" in PATH`;
}
