import { sail } from './sail.mjs';

/** `python -m experiments.ferries.daily`: one small run with the settings of `daily.py`. */
await sail({ settings: 'daily.py', name: `ferry_daily_125m_${process.env.FERRY_DATE}`, lossName: 'train/loss' });
