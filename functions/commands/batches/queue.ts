/** What the batches of the deployment wait in, between two turns of their work. */
import * as z from 'zod';
import { BatchId } from '../../../shared/identity.ts';

/** A turn of a batch that is due. */
export const BatchTask = z.object({ batch: BatchId });
export type BatchTask = z.infer<typeof BatchTask>;

export interface BatchQueue {
  /**
   * Hands a turn over; it is taken at least once.
   * @throws when it could not be handed over
   */
  send(task: BatchTask, afterMs: number): Promise<void>;
}
