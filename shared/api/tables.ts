/** Every table of operations, by the name under which clients and documents know it. */
import { admin } from './admin.ts';
import { devices } from './devices.ts';
import { health } from './health.ts';
import { hooks } from './hooks.ts';
import { jobs } from './jobs.ts';
import { metrics } from './metrics.ts';
import { nettools } from './nettools.ts';
import type { Operations } from './operation.ts';
import { overview } from './overview.ts';
import { specification } from './specification.ts';

export const tables = {
  devices,
  nettools,
  jobs,
  hooks,
  admin,
  overview,
  metrics,
  health,
  specification,
} as const satisfies Record<string, Operations>;
