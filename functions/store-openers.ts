/** The opener of each store, under the store's name in the contexts. A bundle has those that its function imports. */
import { openPersonStore } from './access/people/person-store.ts';
import { openTokenStore } from './access/token-store.ts';
import type { Table } from './table/table.ts';

export { openFirstTokenStore as firstToken } from './access/first-token-store.ts';
export { openAccessRequestStore as accessRequests } from './access/oauth/access-request-store.ts';
export { openPersonStore as people } from './access/people/person-store.ts';
export { openSignInStore as signIns } from './access/people/sign-in-store.ts';
export { openJobStore as jobs } from './commands/job-store.ts';
export { openRunStore as runs } from './commands/runs/run-store.ts';
export { openDeviceStore as devices } from './devices/collection/device-store.ts';
export { openPortStore as ports } from './devices/collection/port-store.ts';
export { openHookStore as hooks } from './hooks/hook-store.ts';
export { openAuditLog as audit } from './http/audit-log.ts';
export { openCheckStore as checks } from './monitoring/checks/check-store.ts';
export { openSiteStates as siteStates } from './monitoring/outages/site-state.ts';
export { openPlanStore as plans } from './monitoring/schedules/plan-store.ts';
export { openScheduleStore as schedules } from './monitoring/schedules/schedule-store.ts';
export { openMonthStore as months } from './monitoring/series/month-store.ts';
export { openSeriesStore as series } from './monitoring/series/series-store.ts';
export { openCertificateStore as certificates } from './sites/agents/certificate-store.ts';
export { openEnrolmentStore as enrolments } from './sites/agents/enrolment-store.ts';
export { openRollOutStore as rollOuts } from './sites/agents/releases/roll-out-store.ts';
export { openSiteDeletions as deletions } from './sites/deletion-store.ts';
export { openSiteStore as sites } from './sites/site-store.ts';
export { openUpkeepCursor as upkeepCursor } from './sites/upkeep-cursor.ts';
export { openTemplateStore as templates } from './templates/template-store.ts';

export const tokens = (table: Table, now: () => Date) => openTokenStore(table, openPersonStore(table), now);
