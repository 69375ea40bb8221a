import { describe, expect, test } from 'vitest';
import { complaintOn } from '../../src/adapters/complaint.js';
import { gist, registryOf } from './asking.js';
import { fakeFleet, fakeReply } from './fake-command.js';

describe('F95: exit 0, and on standard error', () => {
  test.each([
    'Error: deadline exceeded',
    '  fatal: bad object',
    'Traceback (most recent call last):',
    'wandb: ERROR Failed to query the run',
    'kubectl: error: the server has asked for the client to provide credentials',
    'Unable to connect to the server: dial tcp 10.0.0.1:443: i/o timeout',
    'E20260902 23:26:04 140211 finelog.client query: deadline exceeded',
    'C20260902 23:26:04 140211 iris.cli giving up',
    'E0902 10:11:12.123456   12345 reflector.go:140] list of pods: the connection was lost',
    '2026-09-02 10:11:12 ERROR finelog: shard 3 did not answer',
    '2026-09-02 10:11:12,123 - iris - ERROR - shard 3 did not answer',
    '[ERROR] shard 3 did not answer',
    'time="2026-09-02T10:11:12Z" level=error msg="shard 3"',
    '{"level":"error","msg":"shard 3"}',
    'pods is forbidden: User "x" cannot list resource "pods"',
    'sh: iris: command not found',
  ])('an error is told: %s', (line) => {
    expect(complaintOn(Buffer.from(`I20260902 23:26:03 1 iris Establishing tunnel\r\n${line}\r\n`))).toBe(line.trim());
  });

  test.each([
    '',
    'I20260902 23:26:04 140211 iris.cli Establishing tunnel to controller...',
    'W20260902 23:26:04 140211 iris.cli could not connect, trying again',
    'I20260902 23:26:04 140211 iris.cli 0 errors so far, last ERROR none',
    'E0902 10:11:12.123456   12345 memcache.go:265] list of metrics.k8s.io/v1beta1: the server is currently unable to handle the request',
    'Warning: v1 ComponentStatus is deprecated in v1.19+',
    'No resources found in iris namespace.',
    '2026-09-02 10:11:12 INFO finelog: errors=0',
    'level=info msg="error budget left"',
    'reading error_log of 3 tasks',
  ])('a log line is none: %s', (line) => {
    expect(complaintOn(Buffer.from(line))).toBeNull();
  });
});

test('F95: an empty list beside an error of the log is not "none"', async () => {
  const kubectl = fakeReply('{"apiVersion":"v1","kind":"List","items":[]}', { stderr: 'E20260902 23:26:04 1 client the list was cut\n' });
  const reading = await registryOf(fakeFleet({ kubectl })).read('pods', { family: 'hero', jobId: '/marin/hero-x-coord-1' });

  expect(gist(reading)).toMatchObject({ unknown: 'unparsable', detail: expect.stringContaining('an error beside the answer') });
});
