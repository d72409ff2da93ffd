/** The settings of a site, for its agents: when one comes online, and when they change. */
import { type DiscoveryControl, PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import type { Site } from '../../../shared/api/records.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { ServiceSettings } from '../../http/context.ts';
import type { Stores } from '../../stores.ts';
import type { AgentRegistry } from './agent-registry.ts';

/** @param restoredAt when the server was restored from a backup (Unix, ms), if it was */
export function settingsMessage(
  { revision, discovery, policy }: Pick<Site, 'revision' | 'discovery' | 'policy'>,
  restoredAt: number | undefined,
): DiscoveryControl {
  const wish = policy === undefined ? {} : { policy };
  const restored = restoredAt === undefined ? {} : { restoredAt };
  return { v: PROTOCOL_VERSION, t: 'settings', revision, discovery, ...wish, ...restored, direct: true };
}

interface SettingsContext extends Pick<Stores, 'sites'> {
  registry: Pick<AgentRegistry, 'publish'>;
  settings?: Pick<ServiceSettings, 'restoredAt'>;
}

/**
 * Sends the settings to the connected agents of a site.
 * @throws {ServiceError} `unavailable` when one of them cannot be notified
 */
export async function publishSettings({ sites, registry, settings }: SettingsContext, site: Site): Promise<void> {
  const agents = await sites.agents(site.id);
  const connected = agents.filter(({ state }) => state === 'online' || state === 'draining');
  try {
    await Promise.all(connected.map(({ id }) => registry.publish(id, settingsMessage(site, settings?.restoredAt))));
  } catch (cause) {
    const message =
      'The settings are stored, but not every agent could be notified: repeat the call to notify them now';
    throw new ServiceError('unavailable', message, { cause, retryAfter: 2 });
  }
}
