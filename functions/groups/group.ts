/** A group of operations: one function in the cloud, a part of the server on one machine. */
import type { Routes } from '../http/call.ts';
import type { Rights } from './rights.ts';

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
  /** Whether it sends messages to its own queue, which Lambda's loop detection must not stop. */
  callsItself?: boolean;
  /** Whether executions may be reserved for it: without it, agents cannot enrol or report. */
  hasReserve?: boolean;
}

/** @typeParam Used the context of its handlers */
export interface Group<Used = never> extends CloudFunction {
  /** Operations with their handlers, by the names of the tables. */
  routes: Readonly<Record<string, Routes<Used>>>;
  /** Whether it answers unknown paths. */
  catchesAll?: boolean;
}
