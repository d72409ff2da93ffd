/** The files of the web console, which need no token. */
import { consoleRoutes } from '../http/console.ts';
import type { Group } from './group.ts';

export const consoleGroup = {
  name: 'console',
  description: 'The files of the web console, and the answer to paths that do not exist',
  memoryMb: 256, // With less, it would also have less CPU, and start more slowly.
  timeLimitS: 10, // Files take milliseconds.
  rights: { table: [] },
  isQuiet: true,
  routes: { console: consoleRoutes },
  catchesAll: true, // It has the fewest rights and the least memory, and anyone can make it run.
} as const satisfies Group;
