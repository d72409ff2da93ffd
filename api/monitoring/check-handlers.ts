/** `/checks`. */
import type { checks as operations } from '../../shared/api/checks.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { DevicesContext } from '../context/context.ts';
import type { Handlers } from '../http/call.ts';

async function notBuilt(): Promise<never> {
  throw new ServiceError('unavailable', 'not built yet');
}

export const checksHandlers: Handlers<typeof operations, DevicesContext> = {
  listChecks: notBuilt,
  addCheck: notBuilt,
  getMatrix: notBuilt,
  addMatrix: notBuilt,
  getCheck: notBuilt,
  changeCheck: notBuilt,
  removeCheck: notBuilt,
};
