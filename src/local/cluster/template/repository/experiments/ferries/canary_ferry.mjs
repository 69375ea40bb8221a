import { sail } from './sail.mjs';

/** `python -m experiments.ferries.canary_ferry`: the small run that is the same every day. */
await sail({ settings: 'canary_ferry.py', name: `canary-ferry-moe-${process.env.RUN_ID}`, lossName: 'train/loss' });
