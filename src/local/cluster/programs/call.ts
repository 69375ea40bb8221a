/** One call of an executable, as its caller made it. */
export interface Call {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly irisUser: string;
  readonly wandbApiKey: string;
}

/** What the executable prints and how it exits. */
export interface Answer {
  readonly exitCode: number;
  readonly stdout: string | Buffer;
  readonly stderr: string;
}

export function ok(stdout: string | Buffer, stderr = ''): Answer {
  return { exitCode: 0, stdout, stderr };
}

export function failed(stderr: string, exitCode = 1): Answer {
  return { exitCode, stdout: '', stderr: stderr.endsWith('\n') ? stderr : `${stderr}\n` };
}

/** A call that does not fit the program's options: exit 2, as click does. */
export function usageError(program: string, message: string): Answer {
  return failed(`Usage: ${program} [OPTIONS] COMMAND [ARGS]...\nTry '${program} --help' for help.\n\nError: ${message}\n`, 2);
}

/** A failure that the program does not catch: a Python traceback, exit 1, nothing on standard output. */
export function traceback(error: string): Answer {
  return failed(`Traceback (most recent call last):\n  File "<frozen runpy>", line 198, in _run_module_as_main\n${error}\n`);
}
