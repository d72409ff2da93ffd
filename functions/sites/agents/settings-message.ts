/** The message with the settings of a site, for an agent that comes online and when the settings change. */
import { type DiscoveryControl, PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import type { Site } from '../../../shared/api/records.ts';

/** @param restoredAt when the server was restored from a backup (Unix, ms), if it was */
export function settingsMessage(
  { revision, discovery, policy }: Pick<Site, 'revision' | 'discovery' | 'policy'>,
  restoredAt: number | undefined,
): DiscoveryControl {
  const wish = policy === undefined ? {} : { policy };
  const restored = restoredAt === undefined ? {} : { restoredAt };
  return { v: PROTOCOL_VERSION, t: 'settings', revision, discovery, ...wish, ...restored, direct: true };
}
