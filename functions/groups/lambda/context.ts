/** What the functions in Lambda have in common. Each passes the clients that it alone needs, so that its bundle is small. */
import { ServiceError } from '../../../shared/errors.ts';
import { openTokenWatch } from '../../access/token-watch.ts';
import type { Config } from '../../config.ts';
import { devicesKeptIn } from '../../devices/collection/snapshots.ts';
import { wakingHooks } from '../../hooks/wake.ts';
import { consoleLog } from '../../http/log.ts';
import { openWaitSlots } from '../../http/wait-slots.ts';
import {
  audit,
  certificates,
  checks,
  deletions,
  devices,
  hooks,
  jobs,
  people,
  plans,
  rollOuts,
  schedules,
  sites,
  templates,
  tokens,
} from '../../store-openers.ts';
import { type Openers, openSome } from '../../stores.ts';
import { openDynamoDbTable } from '../../table/dynamodb.ts';
import { hasNoFirstToken, withFormat } from '../../table/format.ts';
import { taskQueueInLambda } from './queue.ts';
import { STRANGERS_LOGGED_IN } from './serve.ts';

/** What the plans of agents are made of. */
export const FOR_PLANS = { checks, devices, plans, rollOuts, schedules };
/** What else is needed to make sites as templates say, to delete them, and to look after them. */
export const FOR_SITES = { certificates, deletions, hooks, jobs, people, templates };

const now = () => new Date();

/** Some stores alone, for a function that answers no requests. The SDK finds the credentials of its role by itself. */
export function storesInLambda<Some extends Openers>(config: Config, some: Some) {
  const { tableName, dynamodbEndpoint, region, memoryMb } = config;
  const endpoint = dynamodbEndpoint === null ? {} : { endpoint: dynamodbEndpoint };
  const table = withFormat(openDynamoDbTable({ tableName, region, ...endpoint }), {
    what: `The table ${tableName}`,
    isEmpty: hasNoFirstToken,
    refuse: (error) => new ServiceError('unavailable', error.message, { cause: error }),
  });
  const waking = wakingHooks(table, taskQueueInLambda(config, now), now, consoleLog);
  return { ...openSome(some, waking, now, devicesKeptIn(memoryMb)), now };
}

/**
 * An instance answers one call at a time. Streams that go on for as long as they are read get what there is and come back, because
 * each would occupy an instance.
 */
const WAIT_SLOTS = { call: 1, stream: 0 };

/** @param some the stores that the handlers use besides those that every request needs */
export function contextInLambda<Some extends Openers>(config: Config, some: Some) {
  const stores = storesInLambda(config, { ...some, audit, sites, tokens });
  const { version, corsOrigins, tokenRequestsPerMinute, longestWaitS } = config;
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, consoleLog),
    waitSlots: openWaitSlots(WAIT_SLOTS),
    log: consoleLog,
    settings: {
      ...{ version, corsOrigins, tokenRequestsPerMinute, longestWaitS },
      strangersLoggedIn: STRANGERS_LOGGED_IN,
    },
  };
}
