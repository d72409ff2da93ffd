/** The group that may issue certificates and tokens: sites with their agents, templates and hooks, people, sign-in, the first token. */
import { admin } from '../../shared/api/admin.ts';
import { hooks } from '../../shared/api/hooks.ts';
import { oauth } from '../../shared/api/oauth.ts';
import { people } from '../../shared/api/people.ts';
import { shares } from '../../shared/api/shares.ts';
import { signIn } from '../../shared/api/sign-in.ts';
import { templates } from '../../shared/api/templates.ts';
import { updates } from '../../shared/api/updates.ts';
import { auditHandlers } from '../access/audit.ts';
import { consentHandlers } from '../access/oauth/consent-handlers.ts';
import { oauthRoutes } from '../access/oauth/endpoints.ts';
import { peopleHandlers } from '../access/people/handlers.ts';
import { signInHandlers } from '../access/people/sign-in-handlers.ts';
import { signInPageRoutes } from '../access/people/sign-in-pages.ts';
import { routesOf } from '../access/routes.ts';
import { sharesHandlers } from '../access/shares.ts';
import { type TokensContext, tokenHandlers } from '../access/tokens.ts';
import { hooksHandlers } from '../hooks/handlers.ts';
import type { Handlers } from '../http/call.ts';
import { codeHandlers } from '../sites/agents/codes.ts';
import { agentHandlers, type EnrolmentContext, enrolAgent } from '../sites/agents/enrolment.ts';
import { updatesHandlers } from '../sites/agents/releases/update-handlers.ts';
import { type RenewalContext, renewAgent } from '../sites/agents/renewal.ts';
import { type SitesContext, siteHandlers } from '../sites/site-handlers.ts';
import { ATTRIBUTES } from '../table/rows.ts';
import { templatesHandlers } from '../templates/handlers.ts';
import type { Group } from './group.ts';
import { releaseRoutes } from './releases.ts';
import { AUTHENTICATION, KEYS, OBSERVATION } from './rights.ts';
import { specificationRoutes } from './specification.ts';

type AdminContext = TokensContext & SitesContext & EnrolmentContext & RenewalContext;

const adminHandlers: Handlers<typeof admin, AdminContext> = {
  ...{ ...tokenHandlers, ...siteHandlers, ...auditHandlers, ...agentHandlers, ...codeHandlers },
  enrolAgent,
  renewAgent,
};

export const accessGroup = {
  name: 'access',
  description: 'Sites, tokens, sign-in, and the enrolment of agents; makes the first token when it is invoked with {}',
  memoryMb: 512, // The first sign-in of an instance loads a library, and checks a signature.
  timeLimitS: 180, // An export of the audit of ninety days; everything else takes seconds.
  rights: {
    table: [
      ...AUTHENTICATION,
      { actions: ['Query', 'GetItem'], keys: [KEYS.tokenList, KEYS.siteList, KEYS.site, KEYS.codes] },
      { actions: ['BatchGetItem'], keys: [KEYS.tokens, KEYS.siteList] },
      { actions: ['DeleteItem'], keys: [KEYS.tokens, KEYS.tokenList] },
      { actions: ['Query', 'PutItem', 'DeleteItem'], keys: [KEYS.people] },
      // One statement, because the transaction of the first token writes several of these keys, and IAM may evaluate them
      // together.
      { actions: ['PutItem'], keys: [KEYS.setup, KEYS.siteList, KEYS.codes, KEYS.audit, KEYS.tokens, KEYS.tokenList] },
      { actions: ['GetItem', 'PutItem', 'DeleteItem'], keys: [KEYS.signIns] },
      { actions: ['GetItem', 'PutItem', 'UpdateItem'], keys: [KEYS.accessRequests] },
      { actions: ['UpdateItem'], keys: [KEYS.siteList], attributes: ATTRIBUTES.site },
      { actions: ['Query'], keys: [KEYS.audit] },
      // Templates, and the objects that they create.
      { actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], keys: [KEYS.monitoring] },
      // Plans of agents, when the settings of their site change.
      { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.plan },
      // Commands are part of the audit, without their results; those of a revoked agent are ended.
      { actions: ['GetItem', 'Query'], keys: [KEYS.jobs] },
      { actions: ['UpdateItem'], keys: [KEYS.jobs], attributes: ATTRIBUTES.end },
      // The empty collection of a new site, and the certificates of an agent.
      { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.collection },
      // One statement, because one transaction writes the certificates and counts the use of a code.
      { actions: ['UpdateItem'], keys: [KEYS.site, KEYS.codes], attributes: [...ATTRIBUTES.certificates, 'used'] },
      // Devices get their proposed places when their site begins to accept these. This could replace any row of a site with a
      // device; the function may give itself that right anyway, as a token.
      ...OBSERVATION,
      // A site is deleted and restored by a mark in two rows, in one transaction.
      { actions: ['UpdateItem'], keys: [KEYS.siteList, KEYS.site], attributes: ATTRIBUTES.deletion },
      // Hooks and templates, with the objects that those have created, while the site exists.
      { actions: ['DeleteItem'], keys: [KEYS.hooks, KEYS.monitoring] },
      { actions: ['ConditionCheckItem'], keys: [KEYS.siteList] },
      { actions: ['Query', 'GetItem', 'PutItem'], keys: [KEYS.hooks] },
      { actions: ['UpdateItem'], keys: [KEYS.hooks] },
    ],
    messages: { over: 'https', control: 'The agents of any site are notified when its settings change.' },
    certificates: 'issue',
    releases: true, // For available updates, and to hand out packages.
    tasks: true, // Changed hooks, and devices that were placed.
    signInSecret: true,
    mailSecret: true, // For tests of notifications.
  },
  hasReserve: true,
  routes: {
    admin: routesOf(admin, adminHandlers),
    shares: routesOf(shares, sharesHandlers),
    people: routesOf(people, peopleHandlers),
    signIn: routesOf(signIn, signInHandlers),
    signInPages: signInPageRoutes,
    hooks: routesOf(hooks, hooksHandlers),
    updates: routesOf(updates, updatesHandlers),
    oauth: routesOf(oauth, consentHandlers),
    oauthClients: oauthRoutes,
    templates: routesOf(templates, templatesHandlers),
    releases: releaseRoutes,
    specification: specificationRoutes,
  },
} as const satisfies Group;
