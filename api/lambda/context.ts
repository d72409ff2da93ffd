/** What the functions in Lambda have in common. Each passes the clients that it alone needs, so that its bundle is small. */
import { ServiceError } from '../../shared/errors.ts';
import type { AgentId } from '../../shared/identity.ts';
import { openWaitSlots } from '../../store/commands/wait-slot-store.ts';
import { devicesKeptIn } from '../../store/devices/snapshots.ts';
import { openDynamoDbTable } from '../../store/dynamodb.ts';
import { hasNoFirstToken, withFormat } from '../../store/format.ts';
import { openStores, type Stores } from '../../store/stores.ts';
import { openTokenWatch } from '../access/token-watch.ts';
import type { Config, SetupConfig } from '../context/config.ts';
import type { BaseContext } from '../context/context.ts';
import { consoleLog } from '../status/log.ts';
import { rateLimitedWarnings } from '../status/rate-limited-log.ts';
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

export function contextInLambda(config: Config): BaseContext {
  const stores = storesInLambda(config);
  const { version, corsOrigins, tokenRequestsPerMinute, longestWaitS, apiHosts: hosts, deployment } = config;
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, consoleLog),
    waitSlots: openWaitSlots(stores.table, config.waitingCalls, now, consoleLog),
    log: consoleLog,
    ...releasesInLambda(config, consoleLog),
    settings: {
      ...{ version, corsOrigins, tokenRequestsPerMinute, longestWaitS, hosts },
      strangersLoggedIn: STRANGERS_LOGGED_IN,
      ...(deployment === null ? { whyReadOnly: () => WAITS } : { deployment, onGreaterTerm: noteSuperseded }),
    },
  };
}

const WAITS = 'This region waits as the standby of another one, so that nothing can be changed here';

const warn = rateLimitedWarnings(consoleLog);

/** Agents leave by themselves. That nothing else is done here any more takes a deployment. */
function noteSuperseded(term: number, agentId: AgentId): void {
  const meaning = 'an agent says that another region has taken over: if that is so, deploy this one with -c term=0';
  warn(agentId, { term, agentId }, meaning);
}
