/** The common part of the functions in Lambda. Each adds the clients that it alone needs, so that its bundle is small. */
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
import { REJECTION_SAMPLING } from './serve.ts';

/** The stores from which plans are made. */
export const FOR_PLANS = { checks, devices, plans, rollOuts, schedules };
/** Additional stores for the desired state of sites, their deletion, and the upkeep. */
export const FOR_SITES = { certificates, deletions, hooks, jobs, people, templates };

const now = () => new Date();

/** Some stores, for a function that serves no requests. The SDK finds the credentials of the role. */
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
 * An instance serves one call at a time. Streams that could go on for as long as they are read send the backlog and let the
 * client reconnect, because each would occupy an instance.
 */
const WAIT_SLOTS = { call: 1, stream: 0 };

/** @param some the stores of the handlers, besides those that every request needs */
export function contextInLambda<Some extends Openers>(config: Config, some: Some) {
  const stores = storesInLambda(config, { ...some, audit, sites, tokens });
  const { version, corsOrigins, tokenRequestsPerMinute, longestWaitS } = config;
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, consoleLog),
    waitSlots: openWaitSlots(WAIT_SLOTS),
    log: consoleLog,
    settings: { version, corsOrigins, tokenRequestsPerMinute, longestWaitS, rejectionSampling: REJECTION_SAMPLING },
  };
}
