/**
 * How programs say on standard error that something failed. Each is told by its form and not by a word in passing: a log line
 * of a retry, or of a tunnel that is being built, is none.
 */
const COMPLAINTS: readonly RegExp[] = [
  // `Error: …`, also behind the program's own name: `wandb: ERROR …`, `kubectl: error: …`.
  /^\s*(?:[\w./-]+:\s+)?(?:error|fatal|traceback|panic)\b/i,
  /^\s*(?:[\w./-]+:\s+)?(?:unable to|could not|couldn't|cannot|failed to) (?:connect|reach|list|read|query)\b/i,
  // The level of a log line: `2026-09-02 23:26:04 ERROR …`, `[CRITICAL] …`, `level=error`, `"level":"error"`.
  /^\[?\d\S*\s+(?:\S+\s+){0,4}?\[?(?:ERROR|FATAL|CRITICAL)\b/,
  /^\s*\[(?:error|fatal|critical)\]/i,
  /\blevel["']?\s*[=:]\s*["']?(?:error|fatal|critical|panic)\b/i,
  // The scheduler's and telemetry's own: a letter and the date. Source: contracts/iris-and-ferries.md 1.2.
  /^[EC]\d{8} \d\d:\d\d:\d\d\b/,
  // Kubernetes': a letter, month and day. Its client's cache of kinds complains whenever any of them is away; that is no list.
  /^[EF]\d{4} \d\d:\d\d:\d\d\S*\s+\d+ (?!memcache\.go:)/,
  /\b(?:permission denied|command not found|access denied|unauthorized|forbidden)\b/i,
];

/**
 * A line on standard error that says that something failed, while the exit code says that nothing did: one of both is wrong,
 * and a list that was cut short for that looks like one that is whole. Not cut: a secret in it is taken out first, as in every
 * detail.
 */
export function complaintOn(stderr: Buffer): string | null {
  const line = stderr
    .toString('utf8')
    .split(/\r?\n/)
    .find((each) => COMPLAINTS.some((complaint) => complaint.test(each)));
  return line?.trim() ?? null;
}
