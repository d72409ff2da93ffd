/** The handlers of the administration function: sites, tokens, audit and agents. */
import { admin as operations } from '../../shared/api/admin.ts';
import { group, type Handlers } from '../http/routes.ts';
import { auditHandlers } from './audit.ts';
import { agentHandlers } from './enrolment.ts';
import { renewAgent } from './renewal.ts';
import { siteHandlers } from './site-handlers.ts';
import { tokenHandlers } from './tokens.ts';

const handlers: Handlers<typeof operations> = {
  ...tokenHandlers,
  ...siteHandlers,
  ...auditHandlers,
  ...agentHandlers,
  renewAgent,
};

export const adminGroup = group(operations, handlers);
