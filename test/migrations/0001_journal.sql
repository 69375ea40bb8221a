-- Rows that the next migration must be able to meet.
INSERT INTO operation (operation_id, protocol, number, subject, requester, channel, created_at)
VALUES ('hero-1', 'hero', 1, 'family:hero', 'U1', 'C1', '2026-11-30T12:00:00.000Z');
INSERT INTO card (operation_id, channel, stage, ts) VALUES ('hero-1', 'C1', 'posted', '1.1');
INSERT INTO plan (operation_id, version, body, hash, inferred, made_by, made_at) VALUES ('hero-1', 1, '{}', 'h', '[]', 'U1', '2026-11-30T12:00:00.000Z');
INSERT INTO transition (operation_id, seq, from_state, event, to_state, actor, at, request_key, plan_version, facts, details, evidence, hash)
VALUES ('hero-1', 1, NULL, 'plan_made', 'planned', 'U1', '2026-11-30T12:00:00.000Z', 'k1', 1, '{}', '{}', '[]', 'h1'),
       ('hero-1', 2, 'planned', 'plan_agreed', 'agreed', 'U2', '2026-11-30T12:00:01.000Z', 'k2', 1, '{}', '{}', '[]', 'h2');
UPDATE operation SET seq = 2, state = 'agreed', head = 'h2', plan_version = 1, locked = 1 WHERE operation_id = 'hero-1';
INSERT INTO evidence (digest, body, stored_at) VALUES ('d', 'b', '2026-11-30T12:00:00.000Z');
INSERT INTO intent (intent_id, operation_id, seq, effect, verb, args, args_digest, proof, recorded_at, start_before)
VALUES ('hero-1:2', 'hero-1', 2, 'cancel_old', 'cancel', '{}', 'd', 'gone', '2026-11-30T12:00:00.000Z', '2026-11-30T12:01:00.000Z');
INSERT INTO outbox (operation_id, seq, sink, not_before) VALUES ('hero-1', 1, 'thread', '2026-11-30T12:00:00.000Z'), ('hero-1', 1, 'issue', '2026-11-30T12:00:00.000Z');
INSERT INTO due (operation_id, name, at, event) VALUES ('hero-1', 'approval', '2026-11-30T12:30:00.000Z', 'approval_expired');
INSERT INTO ingress (request_key, kind, actor, body, received_at) VALUES ('command:1', 'command', 'U1', '{}', '2026-11-30T12:00:00.000Z');
