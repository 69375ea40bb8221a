# Settings of the canaries: the same every day.
LEARNING_RATE = 0.004
STEPS = 40
EVAL_EVERY = 20
SEED = 7
