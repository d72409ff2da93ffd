/** Advice about sites and their agents, for a model whose call has failed. */
import type { Caller } from '../http/caller.ts';
import type { Stores } from '../stores.ts';
import type { Advisor } from './results.ts';

/** Sites whose agents are read. */
const MAX_SITES = 10;

export function advisorFor({ sites }: Pick<Stores, 'sites'>, { token, reach }: Caller): Advisor {
  return {
    sites: () =>
      token.scopes.includes('devices:read')
        ? 'Call list_sites, and pass the id of one of them as site.'
        : 'Ask the user for the id of the site, and pass it as site.',

    async agents() {
      if (!token.scopes.includes('devices:read')) return 'The user has to start the agent of this site.';
      const mine = (await sites.list()).filter(reach.has);
      const read = await Promise.all(
        mine.slice(0, MAX_SITES).map(async ({ id }) => {
          const isConnected = (await sites.agents(id)).some(({ state }) => state === 'online');
          return isConnected ? [id] : [];
        }),
      );
      const connected = read.flat();
      const rest = mine.length > MAX_SITES ? ` (of the first ${MAX_SITES} sites)` : '';
      return connected.length === 0
        ? `None of your sites has an agent that is connected${rest}: the user has to start one.`
        : `Sites with a connected agent${rest}: ${connected.join(', ')}. Commands reach only the LAN of their own site.`;
    },
  };
}
