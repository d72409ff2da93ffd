/** Signatures of the Standard Webhooks specification (standardwebhooks.com), version 1: HMAC-SHA256. */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const makeSigningSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The headers by which a receiver verifies that a body is ours, and new. */
export function signedHeaders(secret: string, webhookId: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${webhookId}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': webhookId, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
