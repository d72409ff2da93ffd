/** What the operations of devices use. No more is opened for them in Lambda, so that their function starts fast. */
import { openTokenWatch } from '../auth/token-watch.ts';
import type { Config } from '../context/config.ts';
import type { Context, RequestContext } from '../context/context.ts';
import { lambdaSettings } from '../context/lambda-settings.ts';
import { lambdaTable } from '../context/lambda-table.ts';
import { openAuditLog } from '../dynamodb/audit-log.ts';
import { devicesKeptIn, openDeviceStore } from '../dynamodb/device-store.ts';
import { openPortStore } from '../dynamodb/port-store.ts';
import { openSiteStore } from '../dynamodb/site-store.ts';
import { Table } from '../dynamodb/table.ts';
import { openTokenStore } from '../dynamodb/token-store.ts';
import { openWaitingPlaces } from '../dynamodb/waiting-store.ts';
import { openPublisher } from '../iot/publisher.ts';
import { consoleLog } from '../log/log.ts';

export type DevicesContext = RequestContext &
  Pick<Context, 'audit' | 'now' | 'ports' | 'sites' | 'waitingPlaces'> & {
    registry: Pick<Context['registry'], 'publish'>;
  };

export function devicesContextInLambda(config: Config): DevicesContext {
  const now = () => new Date();
  const table = new Table(lambdaTable(config));
  const tokens = openTokenStore(table, now);
  return {
    tokens,
    tokenWatch: openTokenWatch(tokens, consoleLog),
    devices: openDeviceStore(table, now, devicesKeptIn(config.memoryMb)),
    audit: openAuditLog(table, now),
    ports: openPortStore(table, now),
    sites: openSiteStore(table, now),
    registry: openPublisher(config.stage, config.iotEndpoint),
    waitingPlaces: openWaitingPlaces(table, config.waitingCalls, now, consoleLog),
    log: consoleLog,
    now,
    settings: lambdaSettings(config),
  };
}
