/** Credentials of AWS, for a DynamoDB that requires them. */
import type { Credentials } from '../store/signature.ts';

type Provider = ReturnType<typeof import('@aws-sdk/credential-provider-node')['defaultProvider']>;

/**
 * Finds them as every program with the AWS SDK does, in the environment or a profile, and replaces those that expire.
 * The SDK is loaded at the first call, because only few have such a database.
 */
export function awsCredentials(): () => Promise<Credentials> {
  let provider: Promise<Provider> | null = null;
  return async () => {
    provider ??= import('@aws-sdk/credential-provider-node').then(
      ({ defaultProvider }) => defaultProvider(),
      (error: unknown) => {
        provider = null; // The next call tries again.
        throw error;
      },
    );
    const { accessKeyId, secretAccessKey, sessionToken = null } = await (await provider)();
    return { accessKeyId, secretAccessKey, sessionToken };
  };
}
