/** The handlers of the administration: tokens, sites, agents and audit. */
import type { admin as operations } from '../../shared/api/admin.ts';
import { auditHandlers } from '../access/audit.ts';
import { type TokensContext, tokenHandlers } from '../access/tokens.ts';
import type { Handlers } from '../http/call.ts';
import { codeHandlers } from '../sites/agents/codes.ts';
import { agentHandlers, type EnrolmentContext, enrolAgent } from '../sites/agents/enrolment.ts';
import { type RenewalContext, renewAgent } from '../sites/agents/renewal.ts';
import { type SitesContext, siteHandlers } from '../sites/site-handlers.ts';

type AdminContext = TokensContext & SitesContext & EnrolmentContext & RenewalContext;

export const adminHandlers: Handlers<typeof operations, AdminContext> = {
  ...tokenHandlers,
  ...siteHandlers,
  ...auditHandlers,
  ...agentHandlers,
  ...codeHandlers,
  enrolAgent,
  renewAgent,
};
