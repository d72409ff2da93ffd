/** All stores that use the table. */
import { type AccessRequestStore, openAccessRequestStore } from './access/access-request-store.ts';
import { type AuditLog, openAuditLog } from './access/audit-log.ts';
import { type CertificateStore, openCertificateStore } from './access/certificate-store.ts';
import { type EnrolmentStore, openEnrolmentStore } from './access/enrolment-store.ts';
import { type FirstTokenStore, openFirstTokenStore } from './access/first-token-store.ts';
import { openPersonStore, type PersonStore } from './access/person-store.ts';
import { openSignInStore, type SignInStore } from './access/sign-in-store.ts';
import { openSiteRemovals, type SiteRemovals } from './access/site-removal.ts';
import { openSiteStore, type SiteStore } from './access/site-store.ts';
import { openTokenStore, type TokenStore } from './access/token-store.ts';
import { type BatchStore, openBatchStore } from './commands/batch-store.ts';
import { type JobStore, openJobStore } from './commands/job-store.ts';
import { type DeviceStore, openDeviceStore } from './devices/device-store.ts';
import { type LessonStore, openLessonStore } from './devices/lesson-store.ts';
import { openPortStore, type PortStore } from './devices/port-store.ts';
import { type DeliveryStore, openDeliveryStore } from './hooks/delivery-store.ts';
import { type HookStore, openHookStore } from './hooks/hook-store.ts';
import { type CheckStore, openCheckStore } from './monitoring/check-store.ts';
import { openPlanStore, type PlanStore } from './monitoring/plan-store.ts';
import { openRollOutStore, type RollOutStore } from './monitoring/roll-out-store.ts';
import { openScanStore, type ScanStore } from './monitoring/scan-store.ts';
import { openScheduleStore, type ScheduleStore } from './monitoring/schedule-store.ts';
import { openSiteStates, type SiteStates } from './monitoring/site-state.ts';
import { openTemplateStore, type TemplateStore } from './monitoring/template-store.ts';
import { type MonthStore, openMonthStore } from './series/month-store.ts';
import { openPresenceStore, type PresenceStore } from './series/presence-store.ts';
import { openSeriesStore, type SeriesStore } from './series/series-store.ts';
import type { Table } from './table.ts';

export interface Stores {
  devices: DeviceStore;
  ports: PortStore;
  lessons: LessonStore;
  tokens: TokenStore;
  people: PersonStore;
  signIns: SignInStore;
  firstToken: FirstTokenStore;
  sites: SiteStore;
  removals: SiteRemovals;
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
    lessons: openLessonStore(table),
    tokens: openTokenStore(table, people, now),
    people,
    signIns: openSignInStore(table, now),
    firstToken: openFirstTokenStore(table, now),
    sites: openSiteStore(table, now),
    removals: openSiteRemovals(table),
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
    presence: openPresenceStore(table, devices, now),
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
