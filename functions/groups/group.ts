/** What a group of operations is: one function in the cloud, a part of the server on one machine. */
import type { Routes } from '../http/call.ts';
import type { Rights } from './rights.ts';

/** How a function runs in the cloud. */
export interface CloudFunction {
  /** The file in `functions/groups/lambda/`, without `.ts`. */
  name: string;
  /** For the operator, in the list of functions. */
  description: string;
  memoryMb: number;
  timeLimitS: number;
  rights: Rights;
  /** Logs only warnings of the platform: a function that runs for every message would log every start and end. */
  isQuiet?: boolean;
  /** Whether it puts messages into a queue that calls it, so that Lambda must not take that for a fault and end it. */
  callsItself?: boolean;
  /** Whether executions may be reserved for it: without it, agents cannot enrol or be heard. */
  hasReserve?: boolean;
}

/** @typeParam Used what its handlers use: follows from the routes of each group */
export interface Group<Used = never> extends CloudFunction {
  /** What it answers: tables of operations with their handlers, by the names of the tables. */
  routes: Readonly<Record<string, Routes<Used>>>;
  /** Whether it answers the paths that are no group's. */
  catchesAll?: boolean;
}
