-- 0001_journal: the append-only journal and what goes on file with each of its rows.
-- Times are UTC, ISO 8601 with milliseconds, from the application's clock. JSON is canonical (RFC 8785).

CREATE TABLE operation (
  operation_id TEXT PRIMARY KEY,            -- hero-12
  protocol TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 1),
  subject TEXT NOT NULL,                    -- family:hero
  requester TEXT NOT NULL,
  channel TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- What the newest transition says; kept true by the triggers below.
  seq INTEGER NOT NULL DEFAULT 0,
  state TEXT,
  head TEXT NOT NULL DEFAULT '',
  plan_version INTEGER NOT NULL DEFAULT 0,
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
  locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
  UNIQUE (protocol, number)
) STRICT;

-- At most one operation holds a subject.
CREATE UNIQUE INDEX operation_holds_its_subject ON operation (subject) WHERE locked = 1;
CREATE INDEX operation_is_open ON operation (open) WHERE open = 1;

CREATE TABLE plan (
  operation_id TEXT NOT NULL REFERENCES operation (operation_id),
  version INTEGER NOT NULL CHECK (version >= 1),
  body TEXT NOT NULL,
  hash TEXT NOT NULL,                       -- SHA-256 of body
  inferred TEXT NOT NULL,                   -- names of the fields that nobody typed
  made_by TEXT NOT NULL,
  made_at TEXT NOT NULL,
  PRIMARY KEY (operation_id, version)
) STRICT;
CREATE TRIGGER plan_is_never_updated BEFORE UPDATE ON plan BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER plan_is_never_deleted BEFORE DELETE ON plan BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER plan_follows_the_last BEFORE INSERT ON plan
WHEN NEW.version <> (SELECT coalesce(max(version), 0) + 1 FROM plan WHERE operation_id = NEW.operation_id)
BEGIN SELECT RAISE(ABORT, 'does not follow the last plan'); END;

CREATE TABLE transition (
  operation_id TEXT NOT NULL REFERENCES operation (operation_id),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  from_state TEXT,                          -- null: the row that made the operation
  event TEXT NOT NULL,
  to_state TEXT NOT NULL,
  actor TEXT NOT NULL,
  at TEXT NOT NULL,
  request_key TEXT NOT NULL UNIQUE,         -- the same click twice is one row
  plan_version INTEGER NOT NULL,
  facts TEXT NOT NULL,
  details TEXT NOT NULL,
  evidence TEXT NOT NULL,                   -- digests, a JSON array
  hash TEXT NOT NULL,                       -- SHA-256 over the previous hash and every column above
  PRIMARY KEY (operation_id, seq)           -- two writers cannot both be next
) STRICT;
CREATE TRIGGER transition_is_never_updated BEFORE UPDATE ON transition BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER transition_is_never_deleted BEFORE DELETE ON transition BEGIN SELECT RAISE(ABORT, 'append-only'); END;
-- On insert too: INSERT OR REPLACE deletes a row without firing the delete trigger, as recursive_triggers is off.
CREATE TRIGGER transition_follows_the_last BEFORE INSERT ON transition
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM transition WHERE operation_id = NEW.operation_id)
  OR EXISTS (SELECT 1 FROM transition WHERE request_key = NEW.request_key)
  OR (NEW.seq = 1) <> (NEW.from_state IS NULL)
  OR EXISTS (SELECT 1 FROM transition WHERE operation_id = NEW.operation_id AND seq = NEW.seq - 1 AND to_state <> NEW.from_state)
BEGIN SELECT RAISE(ABORT, 'does not follow the last transition'); END;

CREATE TRIGGER operation_says_what_its_last_transition_says BEFORE UPDATE OF seq, state, head ON operation
WHEN NOT EXISTS (
  SELECT 1 FROM transition
  WHERE operation_id = NEW.operation_id AND seq = NEW.seq AND to_state = NEW.state AND hash = NEW.head
    AND seq = (SELECT max(seq) FROM transition WHERE operation_id = NEW.operation_id)
)
BEGIN SELECT RAISE(ABORT, 'an operation says what its last transition says'); END;
CREATE TRIGGER operation_is_never_deleted BEFORE DELETE ON operation BEGIN SELECT RAISE(ABORT, 'append-only'); END;
-- REPLACE would delete the row that holds the subject, or the operation itself, without firing the delete trigger.
CREATE TRIGGER operation_is_new BEFORE INSERT ON operation
WHEN EXISTS (SELECT 1 FROM operation WHERE operation_id = NEW.operation_id)
BEGIN SELECT RAISE(ABORT, 'this operation exists'); END;

-- An effect is on file before it acts; whose process acts is noted at once.
CREATE TABLE intent (
  intent_id TEXT PRIMARY KEY,               -- hero-12:9
  operation_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  effect TEXT NOT NULL,
  verb TEXT NOT NULL,
  args TEXT NOT NULL,
  args_digest TEXT NOT NULL,
  proof TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  start_before TEXT NOT NULL,
  stage TEXT NOT NULL DEFAULT 'recorded' CHECK (stage IN ('recorded', 'starting', 'acting', 'over', 'expired')),
  pid INTEGER, start_ticks INTEGER, boot_id TEXT,
  ended_at TEXT,
  problem TEXT,
  job_id TEXT,
  evidence TEXT,                            -- digest of the transcript
  UNIQUE (operation_id, seq),               -- a row puts at most one effect on file
  FOREIGN KEY (operation_id, seq) REFERENCES transition (operation_id, seq)
) STRICT;
CREATE INDEX intent_is_unsettled ON intent (stage) WHERE stage IN ('recorded', 'starting', 'acting');
CREATE TRIGGER intent_is_never_deleted BEFORE DELETE ON intent BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER intent_is_new BEFORE INSERT ON intent
WHEN EXISTS (SELECT 1 FROM intent WHERE intent_id = NEW.intent_id OR (operation_id = NEW.operation_id AND seq = NEW.seq))
BEGIN SELECT RAISE(ABORT, 'this intent exists'); END;
CREATE TRIGGER intent_only_goes_forward BEFORE UPDATE ON intent
WHEN NEW.intent_id <> OLD.intent_id OR NEW.operation_id <> OLD.operation_id OR NEW.seq <> OLD.seq OR NEW.verb <> OLD.verb
  OR NEW.args <> OLD.args OR NEW.effect <> OLD.effect
  OR NOT ((OLD.stage = 'recorded' AND NEW.stage IN ('starting', 'expired'))
    OR (OLD.stage = 'starting' AND NEW.stage IN ('acting', 'over'))
    OR (OLD.stage = 'acting' AND NEW.stage = 'over'))
BEGIN SELECT RAISE(ABORT, 'an intent only goes forward'); END;

CREATE TABLE evidence (
  digest TEXT PRIMARY KEY,                  -- SHA-256 of body
  body TEXT NOT NULL,                       -- scrubbed before it is stored
  stored_at TEXT NOT NULL
) STRICT;
CREATE TRIGGER evidence_is_never_updated BEFORE UPDATE ON evidence BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER evidence_is_never_deleted BEFORE DELETE ON evidence BEGIN SELECT RAISE(ABORT, 'append-only'); END;

-- What is told: one row a told transition and sink, delivered in order.
CREATE TABLE outbox (
  operation_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  sink TEXT NOT NULL CHECK (sink IN ('thread', 'issue')),
  stage TEXT NOT NULL DEFAULT 'waiting' CHECK (stage IN ('waiting', 'sending', 'delivered')),
  tries INTEGER NOT NULL DEFAULT 0,
  not_before TEXT NOT NULL,
  last_error TEXT,
  external_id TEXT,
  delivered_at TEXT,
  PRIMARY KEY (operation_id, seq, sink),
  FOREIGN KEY (operation_id, seq) REFERENCES transition (operation_id, seq)
) STRICT;
CREATE INDEX outbox_is_waiting ON outbox (sink, stage) WHERE stage <> 'delivered';

-- The live card of an operation: the root of its thread.
CREATE TABLE card (
  operation_id TEXT PRIMARY KEY REFERENCES operation (operation_id),
  channel TEXT NOT NULL,
  generation INTEGER NOT NULL DEFAULT 1,    -- a deleted root is followed by a new one
  stage TEXT NOT NULL DEFAULT 'waiting' CHECK (stage IN ('waiting', 'sending', 'posted')),
  ts TEXT,
  body_digest TEXT
) STRICT;

-- What happens by itself at an instant. Gone when its state is left.
CREATE TABLE due (
  operation_id TEXT NOT NULL REFERENCES operation (operation_id),
  name TEXT NOT NULL,
  at TEXT NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (operation_id, name)
) STRICT;
CREATE INDEX due_in_order ON due (at);

-- Every command and click, on file before it is acknowledged.
CREATE TABLE ingress (
  request_key TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at TEXT NOT NULL,
  handled_at TEXT,
  answer TEXT
) STRICT;
CREATE INDEX ingress_is_unhandled ON ingress (received_at) WHERE handled_at IS NULL;
CREATE TRIGGER ingress_is_never_deleted BEFORE DELETE ON ingress BEGIN SELECT RAISE(ABORT, 'append-only'); END;
