/** What the runs of the deployment wait for, between two turns of their work. */
import * as z from 'zod';
import { PlanItemId } from '../../../shared/agent/plan.ts';
import { BatchId, SiteId } from '../../../shared/identity.ts';
import type { TaskQueue } from '../../task-queue.ts';

/** A turn of a run that is due: of a batch, or of a scan at a site. */
export const RunTask = z.object({ run: z.union([BatchId, PlanItemId]), site: SiteId.nullable() });
export type RunTask = z.infer<typeof RunTask>;
export type RunQueue = TaskQueue<RunTask>;
