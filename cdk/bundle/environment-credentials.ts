/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles. Lambda has the credentials of the role in the environment; the
 * code for other sources (profiles, single sign-on, instance metadata) would be a fifth of a function.
 */
import { readCredentials } from '../../functions/config.ts';

interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export function defaultProvider(): () => Promise<Keys> {
  return async () => {
    const { sessionToken, ...keys } = readCredentials();
    return sessionToken === null ? keys : { ...keys, sessionToken };
  };
}
