-- 0004_fewer_pages: a transition writes fewer pages. What is told is kept by its key alone, without a second table under it; what
-- waits is found by its stage alone, so that the index grows at its end; an intent is named by its row, and has no key beside that.

CREATE TABLE told (
  operation_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  sink TEXT NOT NULL CHECK (sink IN ('thread', 'issue')),
  stage TEXT NOT NULL DEFAULT 'waiting' CHECK (stage IN ('waiting', 'sending', 'delivered')),
  tries INTEGER NOT NULL DEFAULT 0,
  not_before TEXT NOT NULL,
  last_error TEXT,
  external_id TEXT,
  delivered_at TEXT,
  sent_under TEXT,                          -- the root under which a reply was sent
  PRIMARY KEY (operation_id, seq, sink),
  FOREIGN KEY (operation_id, seq) REFERENCES transition (operation_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO told (operation_id, seq, sink, stage, tries, not_before, last_error, external_id, delivered_at, sent_under)
SELECT operation_id, seq, sink, stage, tries, not_before, last_error, external_id, delivered_at, sent_under FROM outbox;
DROP TABLE outbox;
ALTER TABLE told RENAME TO outbox;
CREATE INDEX outbox_is_waiting ON outbox (stage) WHERE stage <> 'delivered';

CREATE TABLE effect (
  intent_id TEXT GENERATED ALWAYS AS (operation_id || ':' || seq) VIRTUAL, -- hero-12:9
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
  PRIMARY KEY (operation_id, seq),          -- a row puts at most one effect on file
  FOREIGN KEY (operation_id, seq) REFERENCES transition (operation_id, seq)
) STRICT;
INSERT INTO effect (operation_id, seq, effect, verb, args, args_digest, proof, recorded_at, start_before, stage, pid, start_ticks, boot_id,
                    ended_at, problem, job_id, evidence)
SELECT operation_id, seq, effect, verb, args, args_digest, proof, recorded_at, start_before, stage, pid, start_ticks, boot_id,
       ended_at, problem, job_id, evidence FROM intent ORDER BY rowid;
DROP TABLE intent;
ALTER TABLE effect RENAME TO intent;
CREATE INDEX intent_is_unsettled ON intent (stage) WHERE stage IN ('recorded', 'starting', 'acting');
CREATE TRIGGER intent_is_never_deleted BEFORE DELETE ON intent BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER intent_is_new BEFORE INSERT ON intent
WHEN EXISTS (SELECT 1 FROM intent WHERE operation_id = NEW.operation_id AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'this intent exists'); END;
CREATE TRIGGER intent_only_goes_forward BEFORE UPDATE ON intent
WHEN NEW.operation_id <> OLD.operation_id OR NEW.seq <> OLD.seq OR NEW.verb <> OLD.verb
  OR NEW.args <> OLD.args OR NEW.effect <> OLD.effect
  OR NOT ((OLD.stage = 'recorded' AND NEW.stage IN ('starting', 'expired'))
    OR (OLD.stage = 'starting' AND NEW.stage IN ('acting', 'over'))
    OR (OLD.stage = 'acting' AND NEW.stage = 'over'))
BEGIN SELECT RAISE(ABORT, 'an intent only goes forward'); END;
