/** A secret of the operator in Secrets Manager: that of the service at the identity provider, or at the mail server. */
import type { SignInSettings } from './settings.ts';

const LIMITS = { connectionTimeout: 1_000, requestTimeout: 4_000, throwOnRequestTimeout: true };

/** Fetched whenever it is needed: once an hour, and after it was rejected. The library is loaded then. */
export function storedSecret(arn: string, region: string): SignInSettings['clientSecret'] {
  return async () => {
    const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
    const client = new SecretsManagerClient({ region, maxAttempts: 2, requestHandler: LIMITS });
    try {
      const { SecretString: secret } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
      if (secret === undefined) throw new Error(`the secret ${arn} is no text`);
      return secret.trim();
    } finally {
      client.destroy();
    }
  };
}
