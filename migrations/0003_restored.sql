-- 0003_restored: what came back from a backup. Of an operation that was open in it nothing is known beyond the backup, until it has been
-- compared with the outside.
CREATE TABLE restored (
  operation_id TEXT PRIMARY KEY REFERENCES operation (operation_id),
  at TEXT NOT NULL,                         -- when the backup was put in place
  compared_at TEXT,                         -- null: nothing that a person asks for is done yet
  released_at TEXT                          -- null: nothing acts by itself yet; set with the first row by a person
) STRICT;

-- Numbers that may have been given after the backup was made: none is given twice.
CREATE TABLE number_floor (
  protocol TEXT PRIMARY KEY,
  number INTEGER NOT NULL CHECK (number >= 1)
) STRICT;
