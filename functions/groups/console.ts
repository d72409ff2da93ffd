/** The files of the web console, which need no token. */

import { consoleRoutes } from '../http/console.ts';
import type { Group } from './group.ts';

export const consoleGroup = {
  name: 'console',
  description: 'The files of the web console, and the answer to paths that do not exist',
  memoryMb: 256, // With less, it would also have less of a processor, and take longer to start.
  timeLimitS: 10, // Files are there within milliseconds.
  rights: { table: [] }, // It sends files, and knows no token.
  isQuiet: true,
  routes: { console: consoleRoutes },
  // It has next to no right and the least memory, and anybody can make it run.
  catchesAll: true,
} as const satisfies Group;
