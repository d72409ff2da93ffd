/** The tasks of the worker for runs. */
import * as z from 'zod';
import { PlanItemId } from '../../../shared/agent/plan.ts';
import { BatchId, SiteId } from '../../../shared/identity.ts';
import type { TaskQueue } from '../../task-queue.ts';

/** A due turn of a batch, or of a scan at a site. */
export const RunTask = z.object({ run: z.union([BatchId, PlanItemId]), site: SiteId.nullable() });
export type RunTask = z.infer<typeof RunTask>;
export type RunQueue = TaskQueue<RunTask>;
