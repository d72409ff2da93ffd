/** The handlers of the administration: tokens, sites, agents and audit. */
import type { admin as operations } from '../../shared/api/admin.ts';
import { auditHandlers } from '../access/audit.ts';
import { tokenHandlers } from '../access/tokens.ts';
import { codeHandlers } from '../agents/codes.ts';
import { agentHandlers, enrolAgent } from '../agents/enrolment.ts';
import { renewAgent } from '../agents/renewal.ts';
import type { AccessContext } from '../context.ts';
import type { Handlers } from '../http/call.ts';
import { siteHandlers } from '../sites/site-handlers.ts';

export const adminHandlers: Handlers<typeof operations, AccessContext> = {
  ...tokenHandlers,
  ...siteHandlers,
  ...auditHandlers,
  ...agentHandlers,
  ...codeHandlers,
  enrolAgent,
  renewAgent,
};
