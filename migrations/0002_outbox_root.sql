-- 0002_outbox_root: under which root a reply was sent. What may have arrived is looked for where it was sent, also when
-- that root has been deleted since and the thread goes on under another.
ALTER TABLE outbox ADD COLUMN sent_under TEXT;
