/**
 * What a training process says. A line that starts with `{` is telemetry for the tracker, any other line is log.
 * Standard output is written synchronously, so nothing is lost when the process dies right after.
 */

/** Rows of one step. Values that are not finite are spelt out, since JSON has no word for them. */
export function reportMetrics(step, metrics) {
  const rows = Object.entries(metrics).map(([name, { value, unit }]) => ({
    name,
    value: Number.isFinite(value) ? value : String(value),
    unit,
  }));
  say(JSON.stringify({ telemetry: { timestamp_ms: Date.now(), step, rows } }));
}

/** 0 initialising, 1 training, 2 finished. */
export function reportPhase(phase) {
  reportMetrics(null, { phase: { value: phase, unit: '' } });
}

export function reportSaved(path, step, permanent) {
  say(JSON.stringify({ saved: { path, step, permanent } }));
}

export function log(level, text) {
  const now = new Date().toISOString();
  say(`${level}${now.slice(0, 10).replaceAll('-', '')} ${now.slice(11, 19)} ${process.pid} levanter ${text}`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
