/** `/health`: for load balancers and supervisors. */
import { health as operations } from '../../shared/api/health.ts';
import { group, type Handlers } from './routes.ts';

const handlers: Handlers<typeof operations> = {
  async health({ settings }) {
    return { status: 'ok', version: settings.version };
  },

  async ready({ table, agents, settings }) {
    await Promise.all([table.ping(), agents.ping(), settings.isReady?.()]);
    return { status: 'ready' };
  },
};

export const healthGroup = group(operations, handlers);
