/** Updates the plans of agents when the address of a device or a site that they check has changed. */
import type { SiteId } from '../../../shared/identity.ts';
import type { DeviceKey } from '../../devices/collection/device-codec.ts';
import type { AgentRegistry } from '../../sites/agents/agent-registry.ts';
import { type PlanStores, type SendPlan, syncPlans } from '../schedules/plans.ts';

/** @param moved devices with another address. Costs half a read unit when no agent has a plan */
export async function followDevices(
  stores: PlanStores,
  site: SiteId,
  moved: readonly DeviceKey[],
  send: SendPlan,
  now: Date,
): Promise<void> {
  if (moved.length === 0 || !(await stores.plans.hasAny(site))) return;
  const { checks } = await stores.checks.list(site);
  if (checks.some(({ device, enabled }) => enabled && device !== undefined && moved.includes(device)))
    await syncPlans(stores, site, send, now);
}

/** Once an hour, for changes without a message: another site's address, or an import of devices. */
export async function followAddresses(
  context: PlanStores & { registry: Pick<AgentRegistry, 'publish'>; now(): Date },
  { id }: { id: SiteId },
): Promise<void> {
  if (!(await context.plans.hasAny(id))) return;
  await syncPlans(context, id, (agent, message) => context.registry.publish(agent, message), context.now());
}
