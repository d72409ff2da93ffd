/** Everything the functions reach outside themselves. Opened once, passed to every handler first. */
import type { AuditLog } from './dynamodb/audit-log.ts';
import { openAuditLog } from './dynamodb/audit-log.ts';
import { type DeviceStore, openDeviceStore } from './dynamodb/device-store.ts';
import { type EnrolmentStore, openEnrolmentStore } from './dynamodb/enrolment-store.ts';
import { type JobStore, openJobStore } from './dynamodb/job-store.ts';
import { openSiteStore, type SiteStore } from './dynamodb/site-store.ts';
import { Table, type TableSettings } from './dynamodb/table.ts';
import { openTokenStore, type TokenStore } from './dynamodb/token-store.ts';
import type { AgentRegistry } from './iot/agent-registry.ts';
import type { Log } from './log.ts';
import { type AgentLink, openAgentLink } from './mqtt/agent-link.ts';
import type { BrokerSettings } from './mqtt/connection.ts';

export interface Context {
  devices: DeviceStore;
  tokens: TokenStore;
  sites: SiteStore;
  enrolments: EnrolmentStore;
  jobs: JobStore;
  audit: AuditLog;
  agents: AgentLink;
  registry: AgentRegistry;
  table: Table;
  log: Log;
  now(): Date;
  settings: ServiceSettings;
}

export interface ServiceSettings {
  version: string;
  /** Origins whose pages may call the API from a browser; `*` for all. */
  corsOrigins: readonly string[];
  /** What must hold beyond the database and the broker before the service is ready; rejects while it does not. */
  isReady?(): Promise<void>;
}

export interface ContextSettings extends ServiceSettings {
  table: TableSettings;
  broker: BrokerSettings;
  registry: AgentRegistry;
  log: Log;
}

/** Opens no connection yet: the first request that needs one does. */
export function openContext(settings: ContextSettings): Context {
  const now = () => new Date();
  const table = new Table(settings.table);
  const sites = openSiteStore(table, now);
  const jobs = openJobStore(table, now);
  return {
    devices: openDeviceStore(table, now),
    tokens: openTokenStore(table, now),
    sites,
    enrolments: openEnrolmentStore(table, now),
    jobs,
    audit: openAuditLog(table, now),
    agents: openAgentLink(settings.broker, { sites, jobs }, settings.log),
    registry: settings.registry,
    table,
    log: settings.log,
    now,
    settings,
  };
}

export async function closeContext({ agents, table }: Context): Promise<void> {
  await agents.close();
  table.client.destroy();
}
