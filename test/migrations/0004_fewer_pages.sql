-- A line that has arrived beside one that waits, so that the next migration meets both.
UPDATE outbox SET stage = 'delivered', external_id = '1.2', delivered_at = '2026-11-30T12:00:02.000Z' WHERE operation_id = 'hero-1' AND seq = 1 AND sink = 'thread';
