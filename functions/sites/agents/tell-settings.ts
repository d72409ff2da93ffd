/** After a change of the settings of a site, its agents are told at once. */
import type { Site } from '../../../shared/api/records.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { ServiceSettings } from '../../http/context.ts';
import type { Stores } from '../../stores.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { settingsMessage } from './settings-message.ts';

/** @throws {ServiceError} `unavailable` when one that is connected cannot be told */
export async function tellSettings(
  {
    sites,
    registry,
    settings,
  }: Pick<Stores, 'sites'> & {
    registry: Pick<AgentRegistry, 'publish'>;
    settings?: Pick<ServiceSettings, 'restoredAt'>;
  },
  site: Site,
): Promise<void> {
  const agents = await sites.agents(site.id);
  const connected = agents.filter(({ state }) => state === 'online' || state === 'draining');
  try {
    await Promise.all(connected.map(({ id }) => registry.publish(id, settingsMessage(site, settings?.restoredAt))));
  } catch (cause) {
    const message = 'The settings are stored, but not every agent could be told: make the call again to tell them now';
    throw new ServiceError('unavailable', message, { cause, retryAfter: 2 });
  }
}
