-- A line that was on its way, so that the next migration meets one.
UPDATE outbox SET stage = 'sending', tries = 1, sent_under = '1.1' WHERE operation_id = 'hero-1' AND seq = 1 AND sink = 'thread';
