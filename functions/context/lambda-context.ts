/** The context of a function in Lambda: the table, and of the other dependencies only those that its role may go through. */
import { openTokenWatch } from '../auth/token-watch.ts';
import { openStores, type Stores } from '../dynamodb/stores.ts';
import type { AgentRegistry } from '../iot/agent-registry.ts';
import { consoleLog } from '../log/log.ts';
import type { AgentDispatcher } from '../mqtt/agent-dispatcher.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';

/** They are passed in, so that a function without them does not carry their libraries either. */
export interface Dependencies {
  agents?: (stores: Stores) => AgentDispatcher;
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

export function contextInLambda(config: Config, dependencies: Dependencies = {}): Context {
  const now = () => new Date();
  const stores = storesInLambda(config, now);
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, consoleLog),
    agents: dependencies.agents?.(stores) ?? NO_AGENTS,
    registry: dependencies.registry ?? NO_REGISTRY,
    log: consoleLog,
    now,
    settings: { version: config.version, corsOrigins: config.corsOrigins },
  };
}

const missing = (door: string) => async () => {
  throw new Error(`this function has no ${door}`);
};

const NO_AGENTS: AgentDispatcher = {
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
