#!/usr/bin/env bash
# Forks the tracker run of the next hero, or launches it. Both are for a pristine worktree of a finalised commit.
set -euo pipefail

HANDOFF_CHECKPOINT="s3://hero/REPLACE_BEFORE_DEPLOYMENT/step-0"
WANDB_FORK_FROM="REPLACE_BEFORE_DEPLOYMENT?_step=0"

CLUSTER="marin"
TARGET_CLUSTER="cw-us-east-08a"
TRACKER_PROJECT="marin-community/marin_moe"
VERSION="2026.08.19.2"
STATUS_REPOSITORY="marin-community/marin"
STATUS_ISSUE="8506"
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

fail() {
  printf '%s\n' "$1" >&2
  exit "${2:-1}"
}

value_error() {
  fail "Traceback (most recent call last):
  File \"<stdin>\", line 1, in <module>
ValueError: $1"
}

if [[ $# -ne 1 || ($1 != fork-wandb && $1 != launch) ]]; then
  fail "Usage: trigger_hero.sh fork-wandb|launch" 2
fi
ACTION="$1"

RUN_ID=""
while IFS= read -r line; do
  if [[ $line =~ ^CURRENT_HERO_RUN_ID\ =\ \"(.*)\"$ ]]; then RUN_ID="${BASH_REMATCH[1]}"; fi
done <"$HERE/current_run.py"

for value in "$RUN_ID" "$HANDOFF_CHECKPOINT" "$WANDB_FORK_FROM"; do
  if [[ $value == *REPLACE_BEFORE_DEPLOYMENT* ]]; then
    fail "Handoff is not finalized: set the run id, the handoff checkpoint and the fork point first."
  fi
done
if [[ -z "${WANDB_API_KEY:-}" ]]; then fail "trigger_hero.sh: WANDB_API_KEY: must be set"; fi
if ! command -v gh >/dev/null; then fail "The GitHub CLI (gh) is needed to record the launch."; fi

cd "$HERE"
cd "$(git rev-parse --show-toplevel)"
if [[ -n "$(git status --porcelain --untracked-files=all)" ]]; then
  fail "Launch and fork creation require a pristine worktree."
fi
COMMIT="$(git rev-parse HEAD)"
if [[ $ACTION == fork-wandb ]]; then
  git fetch --quiet origin main
  if [[ $COMMIT != "$(git rev-parse FETCH_HEAD)" ]]; then
    fail "Fork creation requires HEAD to be the newest origin/main."
  fi
fi

[[ $RUN_ID =~ ^[A-Za-z0-9_.-]+$ ]] || value_error "invalid run id: $RUN_ID"
[[ $HANDOFF_CHECKPOINT =~ ^s3://.+/step-([0-9]+)$ ]] || value_error "handoff checkpoint must end in step-<N>: $HANDOFF_CHECKPOINT"
HANDOFF_STEP="${BASH_REMATCH[1]}"
[[ $WANDB_FORK_FROM =~ ^([A-Za-z0-9_.-]+)\?_step=([0-9]+)$ ]] || value_error "invalid fork point: $WANDB_FORK_FROM"
PARENT="${BASH_REMATCH[1]}"
FORK_STEP="${BASH_REMATCH[2]}"
if ((FORK_STEP >= HANDOFF_STEP)); then value_error "fork step $FORK_STEP must be below handoff step $HANDOFF_STEP"; fi
if [[ $PARENT == "$RUN_ID" ]]; then value_error "parent and child are the same run: $RUN_ID"; fi

CHILD="$(tracker show "$TRACKER_PROJECT/$RUN_ID")"

if [[ $ACTION == fork-wandb ]]; then
  if [[ $CHILD != '{"exists":false}' ]]; then fail "The W&B run $RUN_ID exists already."; fi
  tracker fork "$TRACKER_PROJECT/$RUN_ID" --from "$WANDB_FORK_FROM" \
    --config hero_handoff_checkpoint "$HANDOFF_CHECKPOINT" \
    --config hero_wandb_fork_from "$WANDB_FORK_FROM" \
    --config hero_launch_commit "$COMMIT" >/dev/null
  echo "W&B fork created. Launch $RUN_ID from commit $COMMIT."
  exit 0
fi

# A live coordinator of either run, in any user's namespace, would compete for the checkpoint tree. Finished rows age out,
# so that none is listed is fine.
LISTING="$(iris --cluster "$CLUSTER" query -f csv \
  "SELECT job_id, state FROM jobs WHERE depth = 1 AND state NOT IN (4, 5, 6, 7, 8) AND job_id LIKE '%/hero-%-coord%'")"
FIRST=1
while IFS= read -r line; do
  line="${line%$'\r'}"
  if ((FIRST)); then
    [[ $line == "job_id,state" ]] || fail "Unexpected answer of the scheduler: $line"
    FIRST=0
    continue
  fi
  job="${line%,*}"
  name="${job##*/}"
  run="${name%-coord*}"
  if [[ $run == "$RUN_ID" || $run == "$PARENT" ]]; then fail "A coordinator is still live: $job"; fi
done <<<"$LISTING"
if ((FIRST)); then fail "The scheduler answered nothing."; fi

for pair in "hero_handoff_checkpoint=$HANDOFF_CHECKPOINT" "hero_wandb_fork_from=$WANDB_FORK_FROM" "hero_launch_commit=$COMMIT"; do
  if [[ $CHILD != *"\"${pair%%=*}\":\"${pair#*=}\""* ]]; then
    fail "The W&B run $RUN_ID does not carry ${pair%%=*} of this commit; launch from the commit that forked it."
  fi
done

export IRIS_USER=marin
read -r UUID </proc/sys/kernel/random/uuid 2>/dev/null || UUID="$(uuidgen)"
COORDINATOR="$RUN_ID-coord-${UUID:0:8}"
BODY="Launching hero run \`$RUN_ID\` from commit $COMMIT as \`$COORDINATOR\` on $TARGET_CLUSTER, forked from $WANDB_FORK_FROM, initialised from $HANDOFF_CHECKPOINT."
echo "Recording hero launch on https://github.com/$STATUS_REPOSITORY/issues/$STATUS_ISSUE"
gh issue comment "$STATUS_ISSUE" --repo "$STATUS_REPOSITORY" --body "$BODY"
echo "Launching hero from commit $COMMIT"
iris --cluster "$CLUSTER" job run --no-wait --enable-extra-resources --target-cluster "$TARGET_CLUSTER" \
  --priority system --system-reason "hero run" --cpu 1 --memory 4g --max-retries 1000 --job-name "$COORDINATOR" \
  -e WANDB_API_KEY "$WANDB_API_KEY" -e WANDB_PROJECT "${TRACKER_PROJECT#*/}" -e IRIS_PORT_JAX 8476 \
  -e XLA_PYTHON_CLIENT_MEM_FRACTION 0.92 -e XLA_FLAGS "--xla_gpu_enable_latency_hiding_scheduler=true" \
  -- python -m experiments.grug.moe_hero_ep.launch_scaling_ladder --run-id "$RUN_ID" \
  --initialize-from-checkpoint "$HANDOFF_CHECKPOINT" --size d6144 --version "$VERSION" --run
