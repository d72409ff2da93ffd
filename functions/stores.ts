/** All stores that use the table. */

import { type AuditLog, openAuditLog } from './access/audit-log.ts';
import { type FirstTokenStore, openFirstTokenStore } from './access/first-token-store.ts';
import { type AccessRequestStore, openAccessRequestStore } from './access/oauth/access-request-store.ts';
import { openPersonStore, type PersonStore } from './access/people/person-store.ts';
import { openSignInStore, type SignInStore } from './access/people/sign-in-store.ts';
import { openTokenStore, type TokenStore } from './access/token-store.ts';
import { type CertificateStore, openCertificateStore } from './agents/certificate-store.ts';
import { type EnrolmentStore, openEnrolmentStore } from './agents/enrolment-store.ts';
import { openRollOutStore, type RollOutStore } from './agents/releases/roll-out-store.ts';
import { type BatchStore, openBatchStore } from './commands/batches/batch-store.ts';
import { type JobStore, openJobStore } from './commands/job-store.ts';
import { openScanStore, type ScanStore } from './commands/scans/scan-store.ts';
import { type DeviceStore, openDeviceStore } from './devices/collection/device-store.ts';
import { openPortStore, type PortStore } from './devices/collection/port-store.ts';
import { type DeliveryStore, openDeliveryStore } from './hooks/delivery-store.ts';
import { type HookStore, openHookStore } from './hooks/hook-store.ts';
import { type CheckStore, openCheckStore } from './monitoring/checks/check-store.ts';
import { openSiteStates, type SiteStates } from './monitoring/outages/site-state.ts';
import { openPlanStore, type PlanStore } from './monitoring/schedules/plan-store.ts';
import { openScheduleStore, type ScheduleStore } from './monitoring/schedules/schedule-store.ts';
import { type MonthStore, openMonthStore } from './monitoring/series/month-store.ts';
import { openPresenceStore, type PresenceStore } from './monitoring/series/presence-store.ts';
import { openSeriesStore, type SeriesStore } from './monitoring/series/series-store.ts';
import { openSiteDeletions, type SiteDeletions } from './sites/deletion-store.ts';
import { openSiteStore, type SiteStore } from './sites/site-store.ts';
import { openTemplateStore, type TemplateStore } from './sites/templates/template-store.ts';
import type { Table } from './table/table.ts';

export interface Stores {
  devices: DeviceStore;
  ports: PortStore;
  tokens: TokenStore;
  people: PersonStore;
  signIns: SignInStore;
  firstToken: FirstTokenStore;
  sites: SiteStore;
  deletions: SiteDeletions;
  certificates: CertificateStore;
  enrolments: EnrolmentStore;
  accessRequests: AccessRequestStore;
  jobs: JobStore;
  batches: BatchStore;
  audit: AuditLog;
  hooks: HookStore;
  deliveries: DeliveryStore;
  series: SeriesStore;
  months: MonthStore;
  presence: PresenceStore;
  checks: CheckStore;
  plans: PlanStore;
  siteStates: SiteStates;
  rollOuts: RollOutStore;
  schedules: ScheduleStore;
  scans: ScanStore;
  templates: TemplateStore;
  table: Table;
}

/** @param keepDevices how many devices are kept in memory at most */
export function openStores(table: Table, now: () => Date, keepDevices?: number): Stores {
  const devices = openDeviceStore(table, now, keepDevices);
  const people = openPersonStore(table);
  return {
    devices,
    ports: openPortStore(table, now),
    tokens: openTokenStore(table, people, now),
    people,
    signIns: openSignInStore(table, now),
    firstToken: openFirstTokenStore(table, now),
    sites: openSiteStore(table, now),
    deletions: openSiteDeletions(table, now),
    certificates: openCertificateStore(table),
    enrolments: openEnrolmentStore(table, now),
    accessRequests: openAccessRequestStore(table, now),
    jobs: openJobStore(table, now),
    batches: openBatchStore(table, now),
    audit: openAuditLog(table, now),
    hooks: openHookStore(table),
    deliveries: openDeliveryStore(table, now),
    series: openSeriesStore(table, now),
    months: openMonthStore(table),
    presence: openPresenceStore(devices, now),
    checks: openCheckStore(table),
    plans: openPlanStore(table),
    siteStates: openSiteStates(table),
    rollOuts: openRollOutStore(table),
    schedules: openScheduleStore(table, now),
    scans: openScanStore(table, now),
    templates: openTemplateStore(table),
    table,
  };
}
