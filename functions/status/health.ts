/** `/health`: for load balancers and supervisors. */
import type { health as operations } from '../../shared/api/health.ts';
import { deadline } from '../../shared/async.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { CommandContext } from '../commands/context.ts';
import type { Handlers } from '../http/call.ts';
import type { RequestContext } from '../http/context.ts';

export const healthHandlers: Handlers<typeof operations, RequestContext<'table'> & Pick<CommandContext, 'agents'>> = {
  async health({ settings }) {
    return { status: 'ok', version: settings.version };
  },

  async ready({ table, agents, settings }) {
    const parts = Promise.all([table.ping(), agents.ping(), settings.isReady?.()]);
    // Probes have short timeouts.
    await deadline(parts, 2_000, () => {
      throw new ServiceError('unavailable', 'The database or the broker has not answered within 2 s');
    });
    return { status: 'ready' };
  },
};
