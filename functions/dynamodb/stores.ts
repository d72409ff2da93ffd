/** All stores that use the table. */
import { type AuditLog, openAuditLog } from './audit-log.ts';
import { type CertificateStore, openCertificateStore } from './certificate-store.ts';
import { type DeliveryStore, openDeliveryStore } from './delivery-store.ts';
import { type DeviceStore, openDeviceStore } from './device-store.ts';
import { type EnrolmentStore, openEnrolmentStore } from './enrolment-store.ts';
import { type FirstTokenStore, openFirstTokenStore } from './first-token-store.ts';
import { type HookStore, openHookStore } from './hook-store.ts';
import { type JobStore, openJobStore } from './job-store.ts';
import { openPortStore, type PortStore } from './port-store.ts';
import { openSiteRemovals, type SiteRemovals } from './site-removal.ts';
import { openSiteStore, type SiteStore } from './site-store.ts';
import { Table, type TableSettings } from './table.ts';
import { openTokenStore, type TokenStore } from './token-store.ts';

export interface Stores {
  devices: DeviceStore;
  ports: PortStore;
  tokens: TokenStore;
  firstToken: FirstTokenStore;
  sites: SiteStore;
  removals: SiteRemovals;
  certificates: CertificateStore;
  enrolments: EnrolmentStore;
  jobs: JobStore;
  audit: AuditLog;
  hooks: HookStore;
  deliveries: DeliveryStore;
  table: Table;
}

/** @param keepDevices how many devices are kept in memory at most */
export function openStores(settings: TableSettings, now: () => Date, keepDevices?: number): Stores {
  const table = new Table(settings);
  return {
    devices: openDeviceStore(table, now, keepDevices),
    ports: openPortStore(table, now),
    tokens: openTokenStore(table, now),
    firstToken: openFirstTokenStore(table, now),
    sites: openSiteStore(table, now),
    removals: openSiteRemovals(table),
    certificates: openCertificateStore(table),
    enrolments: openEnrolmentStore(table, now),
    jobs: openJobStore(table, now),
    audit: openAuditLog(table, now),
    hooks: openHookStore(table),
    deliveries: openDeliveryStore(table, now),
    table,
  };
}
