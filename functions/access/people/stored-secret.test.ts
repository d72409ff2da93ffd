import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { storedSecret } from './stored-secret.ts';

const ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:lanreach-oidc-AbCdEf';

test('the secret is the text that is stored, as it is now', async () => {
  const mock = mockClient(SecretsManagerClient);
  const read = storedSecret(ARN, 'eu-central-1');
  mock.on(GetSecretValueCommand, { SecretId: ARN }).resolves({ SecretString: 'first\n' });
  expect(await read()).toBe('first');
  mock.on(GetSecretValueCommand, { SecretId: ARN }).resolves({ SecretString: 'second' });
  expect(await read()).toBe('second');
  mock.on(GetSecretValueCommand).resolves({ SecretBinary: new Uint8Array([1]) });
  await expect(read()).rejects.toThrow('no text');
  mock.restore();
});
