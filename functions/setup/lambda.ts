/** The setup of a deployment in Lambda, as a resource of its stack. */
import type { Context as LambdaContext } from 'aws-lambda';
import { readSetupConfig } from '../config.ts';
import { storesInLambda } from '../lambda-context.ts';
import { consoleLog } from '../log.ts';
import { serveRequest } from './custom-resource.ts';
import { provideFirstToken, type SetupContext } from './first-token.ts';
import { openTokenSecret } from './token-secret.ts';

/** Kept for the answer, at the end of the function's time. */
const ANSWER_MS = 20_000;
/** For the last lines of the log. */
const END_MS = 7_000;

let opened: SetupContext | null = null;

/** Opened with the first request, not before: what is wrong then is told to CloudFormation, too. */
function context(): SetupContext {
  if (opened !== null) return opened;
  const config = readSetupConfig();
  const now = () => new Date();
  const secret = openTokenSecret({ id: config.firstTokenSecret });
  opened = { ...storesInLambda(config, now), secret, log: consoleLog, now };
  return opened;
}

export async function handler(event: unknown, lambda: LambdaContext): Promise<void> {
  const end = Date.now() + lambda.getRemainingTimeInMillis();
  const patience = { until: end - ANSWER_MS, answerUntil: end - END_MS };
  await serveRequest(event, async (requestId) => provideFirstToken(context(), requestId), patience, consoleLog);
}
