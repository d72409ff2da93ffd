/** `/changes`. */
import type { changes as operations } from '../../shared/api/changes.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { DevicesContext } from '../context/context.ts';
import type { Handlers } from '../http/call.ts';

async function notBuilt(): Promise<never> {
  throw new ServiceError('unavailable', 'not built yet');
}

export const changesHandlers: Handlers<typeof operations, DevicesContext> = {
  listChanges: notBuilt,
};
