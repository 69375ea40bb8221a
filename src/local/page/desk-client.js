/** Requests to the desk. All are relative, so the token of the address goes along and nothing else does. */

/** The state for a person and channel, or `undefined` when nothing changed since `count`. */
export async function readState({ person, channel, count }) {
  const query = new URLSearchParams({ person, channel, since: count === undefined ? '' : String(count) });
  const response = await fetch(`state?${query}`);
  if (response.status === 204) return undefined;
  if (!response.ok) throw new Error(`the desk answered ${response.status}`);
  return response.json();
}

/** The cluster as it is; `undefined` when it does not answer. */
export async function readCluster() {
  const response = await fetch('cluster');
  return response.ok ? response.json() : undefined;
}

/** Asks for something to be done; rejects with the desk's words when it cannot be. */
export async function act(what, body) {
  const response = await fetch(what, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = { message: text };
  }
  if (!response.ok) throw new Error(answer.message ?? answer.error ?? `answered ${response.status}`);
  return answer;
}
