/** The handlers of the administration: tokens, sites, agents and audit. */
import type { admin as operations } from '../../shared/api/admin.ts';
import type { AccessContext } from '../context/context.ts';
import type { Handlers } from '../http/call.ts';
import { auditHandlers } from './audit.ts';
import { codeHandlers } from './codes.ts';
import { agentHandlers, enrolAgent } from './enrolment.ts';
import { moveHandlers } from './moved-sites.ts';
import { renewAgent } from './renewal.ts';
import { siteHandlers } from './site-handlers.ts';
import { tokenHandlers } from './tokens.ts';

export const adminHandlers: Handlers<typeof operations, AccessContext> = {
  ...tokenHandlers,
  ...siteHandlers,
  ...moveHandlers,
  ...auditHandlers,
  ...agentHandlers,
  ...codeHandlers,
  enrolAgent,
  renewAgent,
};
