/** What `lanreach apply` does. */
import type { Step } from '../../shared/api/templates.ts';
import type { SiteId } from '../../shared/identity.ts';

/** Values are JSON. */
export interface PlannedStep {
  sign: Step['sign'];
  kind: Step['kind'] | 'device';
  site?: SiteId | undefined;
  name?: string | undefined;
  mac?: string;
  fields: readonly { field: string; from: unknown; to: unknown }[];
}

/** What is done by one request, or by several that go together. */
export interface Unit {
  steps: readonly PlannedStep[];
  carryOut(): Promise<Outcome>;
}

export interface Outcome {
  /** How many steps were done before one was refused, and why; absent when none was. */
  refused?: { done: number; why: string };
  /** Of hooks that were made without a secret of their own: shown once. */
  secrets?: Record<string, string>;
  notes?: string[];
}
