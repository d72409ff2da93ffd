/** The message with the settings of a site, for an agent that comes online and when the settings change. */
import { type DiscoveryControl, PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { type Deployment, FIRST_DEPLOYMENT } from '../../shared/agent/place.ts';
import type { Site } from '../../shared/api/records.ts';

export function settingsMessage(
  { revision, discovery, policy }: Pick<Site, 'revision' | 'discovery' | 'policy'>,
  deployment: Deployment = FIRST_DEPLOYMENT,
): DiscoveryControl {
  const wish = policy === undefined ? {} : { policy };
  return { v: PROTOCOL_VERSION, t: 'settings', revision, discovery, ...wish, deployment, direct: true };
}
