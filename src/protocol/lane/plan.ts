import { z } from 'zod';

/** When a lane is due, as the fleet file has it: what a schedule's history goes by. */
export const LanePlan = z.strictObject({
  lane: z.string().min(1),
  kind: z.enum(['canary', 'daily']),
  /** Five fields, in UTC. */
  cron: z.string().min(1),
  /** Who clears what it asks for, and alone may give a standing waiver. */
  owner: z.string().min(1),
  late: z.enum(['fire', 'skip']),
  lateSeconds: z.number().positive(),
  overdueSeconds: z.number().positive(),
  standingWaiverDays: z.int().min(0),
});

export type LanePlan = z.infer<typeof LanePlan>;
