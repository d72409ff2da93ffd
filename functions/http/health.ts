/** `/health`: for load balancers and supervisors. */
import { setTimeout as sleep } from 'node:timers/promises';
import { health as operations } from '../../shared/api/health.ts';
import { ServiceError } from '../../shared/errors.ts';
import { group, type Handlers } from './routes.ts';

/** Whoever probes has little patience. */
const READY_WITHIN_MS = 2_000;

const handlers: Handlers<typeof operations> = {
  async health({ settings }) {
    return { status: 'ok', version: settings.version };
  },

  async ready({ table, agents, settings }) {
    const parts = Promise.all([table.ping(), agents.ping(), settings.isReady?.()]);
    const patience = new AbortController();
    const late = sleep(READY_WITHIN_MS, undefined, { signal: patience.signal }).then(() => {
      throw new ServiceError('unavailable', `Not every part has answered within ${READY_WITHIN_MS / 1000} s`);
    });
    late.catch(() => {});
    await Promise.race([parts, late]).finally(() => patience.abort());
    return { status: 'ready' };
  },
};

export const healthGroup = group(operations, handlers);
