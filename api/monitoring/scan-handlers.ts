/** `/scans`. */
import type { scans as operations } from '../../shared/api/scans.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { DevicesContext } from '../context/context.ts';
import type { Handlers } from '../http/call.ts';

async function notBuilt(): Promise<never> {
  throw new ServiceError('unavailable', 'not built yet');
}

export const scansHandlers: Handlers<typeof operations, DevicesContext> = {
  listScans: notBuilt,
  startScan: notBuilt,
  getScan: notBuilt,
  cancelScan: notBuilt,
};
