/**
 * The secret that keeps the first token, in AWS Secrets Manager.
 *
 * Errors of the service are told by their names only: nothing that was sent or received is repeated in them.
 */
import { createHash } from 'node:crypto';
import {
  GetSecretValueCommand,
  InvalidRequestException,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';

export interface SecretValue {
  /** Null for a secret without a value, and for one whose value is no text. */
  text: string | null;
  /** Which version that is; null when there is none. */
  version: string | null;
}

export interface TokenSecret {
  read(): Promise<SecretValue>;
  /**
   * Gives the secret a new value.
   * @param follows what it follows from: of all that follow from the same, only the first one is taken
   * @returns false when another one was
   */
  write(text: string, follows: readonly (string | null)[]): Promise<boolean>;
}

/** A call that failed. The message names the call and the error. */
export class SecretError extends Error {
  override name = 'SecretError';
  /** Whether there is no such secret, or not for long any more. */
  readonly isGone: boolean;

  constructor(message: string, isGone: boolean) {
    super(message);
    this.isGone = isGone;
  }
}

export interface SecretSettings {
  /** ARN of the secret. */
  id: string;
  /** Where they do not come from the environment in the SDK's usual ways. */
  endpoint?: string;
  region?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string };
}

const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 4_000, throwOnRequestTimeout: true },
};

export function openTokenSecret({ id, ...where }: SecretSettings): TokenSecret {
  const client = new SecretsManagerClient({ ...LIMITS, ...where });

  return {
    async read() {
      try {
        const { SecretString, VersionId } = await client.send(new GetSecretValueCommand({ SecretId: id }));
        return { text: SecretString ?? null, version: VersionId ?? null };
      } catch (error) {
        // So it is called, too, when the secret is there and has no value yet.
        if (error instanceof ResourceNotFoundException) return { text: null, version: null };
        throw described('GetSecretValue', error);
      }
    },

    async write(text, follows) {
      // It becomes the name of the version, and a version is never changed.
      const ClientRequestToken = createHash('sha256').update(JSON.stringify(follows)).digest('hex');
      try {
        await client.send(new PutSecretValueCommand({ SecretId: id, SecretString: text, ClientRequestToken }));
        return true;
      } catch (error) {
        if (error instanceof ResourceExistsException) return false;
        throw described('PutSecretValue', error);
      }
    },
  };
}

function described(call: string, error: unknown): SecretError {
  const name = error instanceof Error ? error.name : 'unknown error';
  // A secret that is about to be deleted is told as a request that does not fit its state.
  const isGone = error instanceof ResourceNotFoundException || error instanceof InvalidRequestException;
  return new SecretError(`Secrets Manager, ${call}: ${name}`, isGone);
}
