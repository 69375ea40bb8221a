import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Bundler } from './programs/job-run.js';

const run = promisify(execFile);

/** Folder of the trainer inside the repository: what a submit bundles. */
export const TRAINER = 'experiments/grug/moe_hero_ep';
/** Folder of the ferries' scripts. */
export const FERRIES = 'experiments/ferries';

/** Git as the cluster uses it: no prompts, and nothing of the caller's own configuration. */
export function gitEnvironment(searchPath: string, home: string): NodeJS.ProcessEnv {
  return {
    PATH: searchPath,
    HOME: home,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Marin Author',
    GIT_AUTHOR_EMAIL: 'author@marin.example',
    GIT_COMMITTER_NAME: 'Marin Author',
    GIT_COMMITTER_EMAIL: 'author@marin.example',
  };
}

export interface WorktreeView {
  readonly role: 'deploy' | 'rollback';
  readonly dir: string;
  readonly head: string;
  readonly clean: boolean;
  readonly dirty: readonly string[];
}

export interface RepositoryView {
  readonly main: { readonly head: string; readonly subject: string };
  readonly worktrees: readonly WorktreeView[];
}

/** The bare origin, the clone in which authors work, and the two worktrees from which heroes are launched. */
export class Repository implements Bundler {
  readonly origin: string;
  readonly deployWorktree: string;
  readonly rollbackWorktree: string;
  /** The checkout from which ferries are launched. */
  readonly lanesWorktree: string;
  readonly #workshop: string;
  readonly #bundles: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(home: string, env: NodeJS.ProcessEnv) {
    this.origin = join(home, 'origin.git');
    this.deployWorktree = join(home, 'deploy');
    this.rollbackWorktree = join(home, 'rollback');
    this.lanesWorktree = join(home, 'lanes');
    this.#workshop = join(home, 'workshop');
    this.#bundles = join(home, 'bundles');
    this.#env = env;
  }

  /** Makes the origin with a first commit of the given files, and the clone of the authors. */
  async create(template: string, subject: string): Promise<void> {
    await this.#git(dirname(this.origin), 'init', '--quiet', '--bare', '--initial-branch=main', this.origin);
    await this.#git(dirname(this.origin), 'clone', '--quiet', this.origin, this.#workshop);
    await this.#git(this.#workshop, 'checkout', '--quiet', '-B', 'main');
    await cp(template, this.#workshop, { recursive: true });
    await this.commit(subject);
  }

  async cloneWorktrees(): Promise<void> {
    for (const dir of [this.deployWorktree, this.rollbackWorktree, this.lanesWorktree]) {
      await this.#git(dirname(dir), 'clone', '--quiet', this.origin, dir);
      await this.#git(dir, 'checkout', '--quiet', '--detach', 'origin/main');
    }
  }

  /** Replaces text in a file of the authors' clone. Throws if the pattern is not there. */
  async edit(path: string, replacements: readonly (readonly [RegExp, string])[]): Promise<void> {
    const file = join(this.#workshop, path);
    let text = await readFile(file, 'utf8');
    for (const [pattern, replacement] of replacements) {
      if (!pattern.test(text)) throw new Error(`edit ${path}: nothing matches ${pattern}`);
      text = text.replace(pattern, () => replacement);
    }
    await writeFile(file, text);
  }

  async write(path: string, text: string): Promise<void> {
    const file = join(this.#workshop, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  async overlay(folder: string): Promise<void> {
    await cp(folder, this.#workshop, { recursive: true });
  }

  /** Puts the trainer's files back as they are at a commit. True when that changed anything. */
  async restoreTrainer(commit: string): Promise<boolean> {
    await rm(join(this.#workshop, TRAINER), { recursive: true, force: true });
    await this.#git(this.#workshop, 'checkout', '--quiet', commit, '--', TRAINER);
    return (await this.#git(this.#workshop, 'status', '--porcelain')) !== '';
  }

  /** Commits all changes of the authors' clone and pushes them to main. */
  async commit(subject: string): Promise<string> {
    await this.#git(this.#workshop, 'add', '--all');
    await this.#git(this.#workshop, 'commit', '--quiet', '--allow-empty', '--message', subject);
    await this.#git(this.#workshop, 'push', '--quiet', 'origin', 'main');
    return this.#git(this.#workshop, 'rev-parse', 'HEAD');
  }

  /** Puts the authors' clone at origin/main, whoever moved it. */
  async refresh(): Promise<void> {
    await this.#git(this.#workshop, 'fetch', '--quiet', 'origin');
    await this.#git(this.#workshop, 'reset', '--quiet', '--hard', 'origin/main');
  }

  /** Takes the newest commit of main back, if it is still this one. */
  async takeBack(commit: string): Promise<boolean> {
    await this.refresh();
    if ((await this.#git(this.#workshop, 'rev-parse', 'HEAD')) !== commit) return false;
    await this.#git(this.#workshop, 'reset', '--quiet', '--hard', 'HEAD~1');
    await this.#git(this.#workshop, 'push', '--quiet', '--force', 'origin', 'main');
    return true;
  }

  /** Points a tag of the origin at a commit, whoever it belongs to. */
  async tag(name: string, commit: string): Promise<void> {
    await this.#git(this.origin, 'tag', '--force', name, commit);
  }

  /** The commit of a tag of the origin; empty when there is none. */
  async tagged(name: string): Promise<string> {
    return (await this.#git(this.origin, 'for-each-ref', '--format=%(objectname)', `refs/tags/${name}`)).trim();
  }

  /** Puts a worktree at a commit, throwing away what was changed in it. */
  async checkout(dir: string, commit: string): Promise<void> {
    await this.#git(dir, 'fetch', '--quiet', 'origin');
    await this.#git(dir, 'checkout', '--quiet', '--force', '--detach', commit);
    await this.#git(dir, 'clean', '--quiet', '--force', '-d');
  }

  async head(dir: string): Promise<string> {
    return this.#git(dir, 'rev-parse', 'HEAD');
  }

  /** Copies the trainer out of the caller's folder, as a submit uploads it, and tells the commit it stands at. */
  async bundle(cwd: string, name: string): Promise<{ readonly folder: string; readonly commit: string }> {
    const top = await this.#git(cwd, 'rev-parse', '--show-toplevel');
    const folder = join(this.#bundles, name);
    for (const part of [TRAINER, FERRIES]) {
      if (existsSync(join(top, part))) await cp(join(top, part), join(folder, part), { recursive: true });
    }
    return { folder, commit: await this.head(top) };
  }

  /** Runs the launch script of a worktree. */
  async launchScript(dir: string, action: 'fork-wandb' | 'launch', env: NodeJS.ProcessEnv): Promise<ScriptReport> {
    return new Promise((resolve) => {
      const options = { cwd: dir, env: { ...this.#env, ...env } };
      execFile('bash', [`${TRAINER}/trigger_hero.sh`, action], options, (error, stdout, stderr) => {
        resolve({ exitCode: error === null ? 0 : typeof error.code === 'number' ? error.code : null, stdout, stderr });
      });
    });
  }

  /** Head and subject of main, and the two worktrees. A folder that git cannot read is shown as dirty, with git's words. */
  async view(): Promise<RepositoryView> {
    const [main, deploy, rollback] = await Promise.all([
      this.#git(this.origin, 'log', '-1', '--format=%H%n%s', 'main'),
      this.#worktree('deploy', this.deployWorktree),
      this.#worktree('rollback', this.rollbackWorktree),
    ]);
    const [head = '', subject = ''] = main.split('\n');
    return { main: { head, subject }, worktrees: [deploy, rollback] };
  }

  async #worktree(role: WorktreeView['role'], dir: string): Promise<WorktreeView> {
    let status: string;
    try {
      // Without optional locks: a look must never be in the way of a checkout.
      status = await this.#git(dir, '--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--untracked-files=all');
    } catch (error) {
      return { role, dir, head: '', clean: false, dirty: [(error as Error).message] };
    }
    const lines = status.split('\n');
    const head = /^# branch\.oid (.*)$/m.exec(status)?.[1] ?? '';
    const dirty = lines.filter((line) => line !== '' && !line.startsWith('# ')).map((line) => line.slice(line.lastIndexOf(' ') + 1));
    return { role, dir, head, clean: dirty.length === 0, dirty };
  }

  async #git(cwd: string, ...args: string[]): Promise<string> {
    const { stdout } = await run('git', args, { cwd, env: this.#env });
    return stdout.trimEnd();
  }
}

export interface ScriptReport {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
