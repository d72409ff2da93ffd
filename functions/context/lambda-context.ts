/** The context of a function in Lambda: the table, and of the other doors only those that its role may go through. */
import { openTokenWatch } from '../auth/token-watch.ts';
import { openStores, type Stores } from '../dynamodb/stores.ts';
import type { AgentRegistry } from '../iot/agent-registry.ts';
import { consoleLog } from '../log/log.ts';
import type { AgentLink } from '../mqtt/agent-link.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';

/** They are passed in, so that a function without them does not carry their libraries either. */
export interface Doors {
  agents?: (stores: Stores) => AgentLink;
  registry?: AgentRegistry;
}

/** What is kept in the table, for a function that answers no requests. */
export function storesInLambda(
  { tableName, dynamodbEndpoint }: Pick<Config, 'tableName' | 'dynamodbEndpoint'>,
  now: () => Date,
): Stores {
  const endpoint = dynamodbEndpoint === null ? {} : { endpoint: dynamodbEndpoint };
  return openStores({ tableName, bulkWrites: 'batch', ...endpoint }, now);
}

export function contextInLambda(config: Config, doors: Doors = {}): Context {
  const now = () => new Date();
  const stores = storesInLambda(config, now);
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, consoleLog),
    agents: doors.agents?.(stores) ?? NO_AGENTS,
    registry: doors.registry ?? NO_REGISTRY,
    log: consoleLog,
    now,
    settings: { version: config.version, corsOrigins: config.corsOrigins },
  };
}

const missing = (door: string) => async () => {
  throw new Error(`this function has no ${door}`);
};

const NO_AGENTS: AgentLink = {
  start: missing('connection to the broker'),
  follow() {
    throw new Error('this function has no connection to the broker');
  },
  confirmStored: missing('connection to the broker'),
  ping: missing('connection to the broker'),
  close: async () => {},
};

const NO_REGISTRY: AgentRegistry = {
  enrol: missing('registry of agents'),
  isActive: missing('registry of agents'),
  retire: missing('registry of agents'),
  revoke: missing('registry of agents'),
  revokeAll: missing('registry of agents'),
};
