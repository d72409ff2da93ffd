/** Everything that the handlers use outside themselves. Opened once and passed to each of them. */
import { openTokenWatch, type TokenWatch } from '../auth/token-watch.ts';
import { openStores, type Stores } from '../dynamodb/stores.ts';
import type { TableSettings } from '../dynamodb/table.ts';
import type { AgentRegistry } from '../iot/agent-registry.ts';
import type { Log } from '../log/log.ts';
import { type AgentDispatcher, openAgentDispatcher } from '../mqtt/agent-dispatcher.ts';
import type { BrokerSettings } from '../mqtt/connection.ts';

export interface Context extends Stores {
  tokenWatch: TokenWatch;
  agents: AgentDispatcher;
  registry: AgentRegistry;
  log: Log;
  now(): Date;
  settings: ServiceSettings;
}

export interface ServiceSettings {
  version: string;
  /** Origins whose pages may call the API from a browser; `*` for all. */
  corsOrigins: readonly string[];
  /** What must be ready besides the database and the broker; rejects while it is not. */
  isReady?(): Promise<void>;
}

export interface ContextSettings extends ServiceSettings {
  table: TableSettings;
  broker: BrokerSettings;
  registry: AgentRegistry;
  log: Log;
}

/** Opens no connection: the first request that needs one does. */
export function openContext(settings: ContextSettings): Context {
  const now = () => new Date();
  const stores = openStores(settings.table, now);
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, settings.log),
    agents: openAgentDispatcher(settings.broker, stores, settings.log),
    registry: settings.registry,
    log: settings.log,
    now,
    settings,
  };
}

export async function closeContext({ agents, table }: Context): Promise<void> {
  await agents.close();
  table.client.destroy();
}
