/** What the batches of the deployment wait for, between two turns of their work. */
import * as z from 'zod';
import { BatchId } from '../../../shared/identity.ts';
import type { TaskQueue } from '../../task-queue.ts';

/** A turn of a batch that is due. */
export const BatchTask = z.object({ batch: BatchId });
export type BatchQueue = TaskQueue<z.infer<typeof BatchTask>>;
