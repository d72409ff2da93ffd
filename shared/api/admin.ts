/** Tokens, sites, agents, the audit. The documents of the API have the operations in this order. */
import { agents } from './agents.ts';
import { audit } from './audit.ts';
import { enrolment } from './enrolment.ts';
import { enrolmentCodes } from './enrolment-codes.ts';
import type { Operations } from './operation.ts';
import { sites } from './sites.ts';
import { tokens } from './tokens.ts';

export const admin = {
  ...tokens,
  ...sites,
  ...agents,
  ...enrolmentCodes,
  ...audit,
  ...enrolment,
} as const satisfies Operations;
