-- An operation that came back from a backup, so that the next migration meets one.
INSERT INTO restored (operation_id, at, compared_at) VALUES ('hero-1', '2026-11-30T12:00:00.000Z', NULL);
INSERT INTO number_floor (protocol, number) VALUES ('hero', 101);
