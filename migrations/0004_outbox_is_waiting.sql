-- 0004_outbox_is_waiting: what waits is found by its stage alone. Rows come in the order in which they are told, so the
-- index grows at its end: with the sink before the stage, each transition wrote two places of it.
DROP INDEX outbox_is_waiting;
CREATE INDEX outbox_is_waiting ON outbox (stage) WHERE stage <> 'delivered';
