/** `/schedules`. */
import type { schedules as operations } from '../../shared/api/schedules.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { DevicesContext } from '../context/context.ts';
import type { Handlers } from '../http/call.ts';

async function notBuilt(): Promise<never> {
  throw new ServiceError('unavailable', 'not built yet');
}

export const schedulesHandlers: Handlers<typeof operations, DevicesContext> = {
  listSchedules: notBuilt,
  addSchedule: notBuilt,
  getSchedule: notBuilt,
  changeSchedule: notBuilt,
  removeSchedule: notBuilt,
};
