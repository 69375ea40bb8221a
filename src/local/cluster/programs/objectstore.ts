import type { ObjectStore } from '../object-store.js';
import type { Switches } from '../switches.js';
import { type Answer, type Call, failed, ok, traceback, usageError } from './call.js';

/** `objectstore list PREFIX` and `objectstore read URL`. */
export function objectstore(context: { readonly store: ObjectStore; readonly switches: Switches }, call: Call): Answer {
  const [command, url, ...more] = call.argv;
  if (url === undefined || more.length > 0 || (command !== 'list' && command !== 'read'))
    return usageError('objectstore', 'expected list PREFIX or read URL');
  if (context.switches.isOn('objectstore_down'))
    return traceback('botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL');
  try {
    if (command === 'list') return ok(`${JSON.stringify(context.store.list(url))}\n`);
    const bytes = context.store.read(url);
    return bytes === null ? failed(`no such object: ${url}`) : ok(bytes);
  } catch (error) {
    if (error instanceof RangeError) return failed(error.message);
    throw error;
  }
}
