/** What the operations of devices use. No more is opened for them in Lambda, so that their function starts fast. */

import { openAuditLog } from '../../store/access/audit-log.ts';
import { openSiteStore } from '../../store/access/site-store.ts';
import { openTokenStore } from '../../store/access/token-store.ts';
import { openWaitingPlaces } from '../../store/commands/waiting-store.ts';
import { devicesKeptIn, openDeviceStore } from '../../store/devices/device-store.ts';
import { openPortStore } from '../../store/devices/port-store.ts';
import { openTokenWatch } from '../access/token-watch.ts';
import { openPublisher } from '../commands/publisher.ts';
import type { Config } from '../context/config.ts';
import type { Context, RequestContext } from '../context/context.ts';
import { consoleLog } from '../status/log.ts';
import { lambdaSettings } from './lambda-settings.ts';
import { lambdaTable } from './lambda-table.ts';

export type DevicesContext = RequestContext &
  Pick<Context, 'audit' | 'now' | 'ports' | 'sites' | 'waitingPlaces'> & {
    registry: Pick<Context['registry'], 'publish'>;
  };

export function devicesContextInLambda(config: Config): DevicesContext {
  const now = () => new Date();
  const table = lambdaTable(config);
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
