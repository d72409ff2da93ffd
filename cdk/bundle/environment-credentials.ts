/**
 * Stands in for `@aws-sdk/credential-provider-node` in the bundles. In Lambda the keys of a role are in the environment;
 * the other places where the SDK would look (profiles, single sign-on, metadata of virtual machines) are a fifth of a
 * function.
 */
import { readCredentials } from '../../functions/context/config.ts';

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
