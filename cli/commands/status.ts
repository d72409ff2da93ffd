/** `lanreach status`, and `lanreach` alone: how all sites stand, in five lines. */
import type { SiteOverview } from '../../shared/api/overview.ts';
import { noteUnreadable } from '../client/session.ts';
import { alert, type Cell, fields, muted, news, state } from '../client/text.ts';
import type { Command } from '../command.ts';
import { wholeOverview } from './overview.ts';

export function addStatusCommand(own: Command): void {
  own.withWatch().run(async (session) => {
    const { sites, unreadable } = await wholeOverview(session);
    const down = counted(sites, 'down');
    const fresh = counted(sites, 'new');
    const offline = sites.flatMap(({ agents }) =>
      agents.filter((agent) => agent.state === 'offline').map(({ id }) => id),
    );
    const agents = sites.reduce((sum, site) => sum + site.agents.length, 0);
    const online = counted(sites, 'online');
    const devices = counted(sites, 'my');
    const unknown = sites.reduce((sum, site) => sum + (site.unknown ?? 0), 0);
    const answer = {
      service: session.client.url,
      sites: sites.length,
      devices: devices.total,
      online: online.total,
      down: down.total,
      new: fresh.total,
      agents,
      agentsOffline: offline,
    };
    await session.show(answer, () =>
      fields({
        Service: session.client.url,
        Sites: `${named(sites)}; ${online.total} of ${devices.total} devices online${unknown === 0 ? '' : `, ${unknown} not monitored`}`,
        Down: down.total === 0 ? 'none' : [alert(down.text), hint('down')],
        New: fresh.total === 0 ? 'none' : [news(fresh.text), hint('new')],
        Agents: agentsCell(agents, offline),
      }),
    );
    noteUnreadable(session, unreadable);
  });
}

const hint = (category: string): Cell => muted(`  lanreach devices list --status ${category}`);

const MOST_NAMED = 5;

function named(sites: readonly SiteOverview[]): string {
  if (sites.length === 0) return 'none';
  const names = sites.slice(0, MOST_NAMED).map(({ id }) => id);
  return `${sites.length} (${[...names, ...(sites.length > MOST_NAMED ? ['…'] : [])].join(', ')})`;
}

/** How many devices of a category there are, and at which sites. */
function counted(sites: readonly SiteOverview[], category: 'my' | 'online' | 'down' | 'new') {
  const counts = sites.map(({ id, devices }) => ({ id, count: devices?.[category] ?? 0 }));
  const some = counts.filter(({ count }) => count > 0);
  const total = some.reduce((sum, { count }) => sum + count, 0);
  const places = some.slice(0, MOST_NAMED).map(({ id, count }) => (sites.length === 1 ? id : `${count} at ${id}`));
  return { total, text: `${total} (${[...places, ...(some.length > MOST_NAMED ? ['…'] : [])].join(', ')})` };
}

function agentsCell(agents: number, offline: readonly string[]): Cell {
  if (agents === 0) return 'none: lanreach agent enrol --site <site>';
  if (offline.length === 0) return [state('online'), ` ${agents} of ${agents}`];
  const shown = offline.slice(0, MOST_NAMED).join(', ');
  const more = offline.length > MOST_NAMED ? `, and ${offline.length - MOST_NAMED} more` : '';
  return alert(`${offline.length} of ${agents} offline: ${shown}${more}`);
}
