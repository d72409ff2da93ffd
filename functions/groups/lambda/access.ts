/**
 * Sites, tokens, people, hooks, templates, enrolment, sign-in and OAuth in Lambda. An invocation (`lambda:InvokeFunction`)
 * returns the first token, once: neither Lambda nor this code logs the payload or the response.
 */
import { fileURLToPath } from 'node:url';
import { makeFirstToken } from '../../access/first-token.ts';
import { signInSettings } from '../../access/people/settings.ts';
import { storedSecret } from '../../access/people/stored-secret.ts';
import { readConfig, readSignInConfig } from '../../config.ts';
import { openIotCoreRegistry } from '../../sites/agents/iot-core-registry.ts';
import { accessRequests, enrolments, firstToken, signIns } from '../../store-openers.ts';
import { accessGroup } from '../access.ts';
import { contextInLambda, FOR_PLANS, FOR_SITES } from './context.ts';
import { mailInLambda } from './mail.ts';
import { releasesInLambda } from './releases.ts';
import { serve } from './serve.ts';

const config = readConfig();
const { secretArn, ...values } = readSignInConfig();
const signIn = signInSettings(values, secretArn === null ? async () => null : storedSecret(secretArn, config.region));
const context = contextInLambda(config, {
  ...{ accessRequests, enrolments, firstToken, signIns },
  ...FOR_PLANS,
  ...FOR_SITES,
});
const answer = serve(accessGroup, {
  ...context,
  ...releasesInLambda(config, context.log),
  ...mailInLambda(config),
  registry: openIotCoreRegistry(config, context.log),
  /** Beside the bundle: see cdk/bundle-function.ts. */
  openApiFile: fileURLToPath(new URL('openapi.json', import.meta.url)),
  settings: { ...context.settings, ...(signIn === null ? {} : { signIn }) },
});

/** The gateway wraps every request in an event with its context, so that no request can pass for an invocation. */
export const handler = awslambda.streamifyResponse(async (event, stream, call) => {
  if ('requestContext' in event) return answer(event, stream, call);
  stream.end(JSON.stringify(await makeFirstToken(context, event, call.awsRequestId)));
});
