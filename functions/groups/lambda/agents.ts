/** The connection to IoT Core's broker, for functions that send commands. */
import { openAgentDispatcher } from '../../commands/agent-dispatcher.ts';
import { signedBroker } from '../../commands/signed-url.ts';
import { type Config, readCredentials } from '../../config.ts';
import { consoleLog } from '../../http/log.ts';
import type { Stores } from '../../stores.ts';

/** The first message opens the connection. */
export function agentsInLambda({ stage, iotEndpoint, region }: Config, stores: Pick<Stores, 'jobs' | 'sites'>) {
  const broker = signedBroker(stage, { host: iotEndpoint, region }, readCredentials);
  return openAgentDispatcher(broker, stores, consoleLog);
}
