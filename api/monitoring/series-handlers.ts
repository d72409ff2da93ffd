/** `/series`. */
import type { series as operations } from '../../shared/api/series.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { DevicesContext } from '../context/context.ts';
import type { Handlers } from '../http/call.ts';

async function notBuilt(): Promise<never> {
  throw new ServiceError('unavailable', 'not built yet');
}

export const seriesHandlers: Handlers<typeof operations, DevicesContext> = {
  getSeries: notBuilt,
  exportSeries: notBuilt,
};
