# Settings of the daily ferry. What differs from the last ferry is read from git.
LEARNING_RATE = 0.004
STEPS = 60
EVAL_EVERY = 20
SEED = 125
