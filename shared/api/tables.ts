/** Every table of operations, by its name in clients and documents. */
import { admin } from './admin.ts';
import { batches } from './batches.ts';
import { changes } from './changes.ts';
import { checks } from './checks.ts';
import { devices } from './devices.ts';
import { health } from './health.ts';
import { hooks } from './hooks.ts';
import { jobs } from './jobs.ts';
import { metrics } from './metrics.ts';
import { nettools } from './nettools.ts';
import { oauth } from './oauth.ts';
import type { Operations } from './operation.ts';
import { overview } from './overview.ts';
import { people } from './people.ts';
import { reports } from './reports.ts';
import { scans } from './scans.ts';
import { schedules } from './schedules.ts';
import { search } from './search.ts';
import { series } from './series.ts';
import { shared, shares } from './shares.ts';
import { signIn } from './sign-in.ts';
import { specification } from './specification.ts';
import { templates } from './templates.ts';
import { updates } from './updates.ts';

export const tables = {
  devices,
  nettools,
  jobs,
  batches,
  schedules,
  checks,
  series,
  scans,
  changes,
  reports,
  hooks,
  admin,
  shares,
  shared,
  people,
  signIn,
  oauth,
  updates,
  templates,
  overview,
  search,
  metrics,
  health,
  specification,
} as const satisfies Record<string, Operations>;
