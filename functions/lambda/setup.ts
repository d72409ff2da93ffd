/**
 * Returns the first token to whoever may invoke this function (`lambda:InvokeFunction`). It has no URL and no event
 * source. Neither Lambda nor this code logs the payload or the answer.
 */
import type { Context as LambdaContext } from 'aws-lambda';
import { makeFirstToken, type NoTokenMade, type TokenMade } from '../access/first-token.ts';
import { readSetupConfig } from '../config.ts';
import { audit, devices, firstToken, sites, tokens } from '../store-openers.ts';
import { storesInLambda } from './context.ts';

const context = storesInLambda(readSetupConfig(), { audit, devices, firstToken, sites, tokens });

export function handler(event: unknown, { awsRequestId }: LambdaContext): Promise<TokenMade | NoTokenMade> {
  return makeFirstToken(context, event, awsRequestId);
}
