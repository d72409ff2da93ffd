/** The handlers of the administration function: sites, tokens, audit and agents. */
import { admin as operations } from '../../shared/api/admin.ts';
import { auditHandlers } from '../access/audit.ts';
import { tokenHandlers } from '../access/tokens.ts';
import { agentHandlers } from '../agents/enrolment.ts';
import { renewAgent } from '../agents/renewal.ts';
import { group, type Handlers } from '../http/routes.ts';
import { siteHandlers } from '../sites/handlers.ts';

const handlers: Handlers<typeof operations> = {
  ...tokenHandlers,
  ...siteHandlers,
  ...auditHandlers,
  ...agentHandlers,
  renewAgent,
};

export const adminGroup = group(operations, handlers);
