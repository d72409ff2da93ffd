/** What the functions in Lambda have in common. Each passes the clients that it alone needs, so that its bundle is small. */
import { ServiceError } from '../../shared/errors.ts';
import { openTokenWatch } from '../access/token-watch.ts';
import { openWaitSlots } from '../commands/wait-slots.ts';
import type { Config, SetupConfig } from '../config.ts';
import type { BaseContext } from '../context.ts';
import { devicesKeptIn } from '../devices/collection/snapshots.ts';
import { consoleLog } from '../http/log.ts';
import { openStores, type Stores } from '../stores.ts';
import { openDynamoDbTable } from '../table/dynamodb.ts';
import { hasNoFirstToken, withFormat } from '../table/format.ts';
import { releasesInLambda } from './releases.ts';
import { STRANGERS_LOGGED_IN } from './serve.ts';

const now = () => new Date();

/** The stores alone, for a function that answers no requests. The SDK finds the credentials of its role by itself. */
export function storesInLambda({
  tableName,
  dynamodbEndpoint,
  region,
  memoryMb,
}: SetupConfig & Partial<Pick<Config, 'memoryMb'>>): Stores & Pick<BaseContext, 'now'> {
  const endpoint = dynamodbEndpoint === null ? {} : { endpoint: dynamodbEndpoint };
  const table = withFormat(openDynamoDbTable({ tableName, region, ...endpoint }), {
    what: `The table ${tableName}`,
    isEmpty: hasNoFirstToken,
    refuse: (error) => new ServiceError('unavailable', error.message, { cause: error }),
  });
  return { ...openStores(table, now, memoryMb === undefined ? undefined : devicesKeptIn(memoryMb)), now };
}

/**
 * An instance answers one call at a time. Streams that go on for as long as they are read get what there is and come back, because
 * each would occupy an instance.
 */
const WAIT_SLOTS = { call: 1, stream: 0 };

export function contextInLambda(config: Config): BaseContext {
  const stores = storesInLambda(config);
  const { version, corsOrigins, tokenRequestsPerMinute, longestWaitS, apiHosts: hosts } = config;
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, consoleLog),
    waitSlots: openWaitSlots(WAIT_SLOTS),
    log: consoleLog,
    ...releasesInLambda(config, consoleLog),
    settings: {
      ...{ version, corsOrigins, tokenRequestsPerMinute, longestWaitS, hosts },
      strangersLoggedIn: STRANGERS_LOGGED_IN,
    },
  };
}
