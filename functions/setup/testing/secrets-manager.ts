/** Secrets Manager as its clients see it: JSON 1.1, one secret, versions with stages, and the errors of the service. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v4 as uuidv4 } from 'uuid';

export const SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:TokenSecret-AbCdEf';

/** What becomes of a request instead of an answer. */
export type Fault =
  | { error: string; status?: number } // refused by the service, with this error
  | 'unanswered' // nothing is done and nothing is said
  | 'answer-lost'; // it is carried out, and the connection is cut

export interface Call {
  operation: string;
  input: Record<string, string>;
}

export interface SecretsManager extends AsyncDisposable {
  endpoint: string;
  /** Every request that arrived, also those that failed. */
  calls: Call[];
  /** Decides over each request. */
  fault: (call: Call) => Fault | null;
  /** What an operator does with the command line. */
  overwrite(text: string): void;
  /** Makes an older version the current one again. */
  putBack(version: string): void;
  scheduleDeletion(): void;
  delete(): void;
  current(): { text: string; version: string } | null;
  /** Every value that the secret has ever had. */
  values(): string[];
}

/** @param generated the value that the secret has from the start; null for none */
export async function startSecretsManager(generated: string | null = null): Promise<SecretsManager> {
  const versions = new Map<string, string>();
  let state: 'there' | 'scheduled' | 'deleted' = 'there';
  let currentVersion: string | null = null;

  function add(version: string, text: string): void {
    versions.set(version, text);
    currentVersion = version;
  }
  if (generated !== null) add(uuidv4(), generated);

  class Refusal extends Error {
    readonly type: string;
    readonly status: number;
    constructor(type: string, message: string, status = 400) {
      super(message);
      this.type = type;
      this.status = status;
    }
  }

  function carryOut({ operation, input }: Call): object {
    if (input.SecretId !== SECRET_ARN || state === 'deleted') {
      throw new Refusal('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    }
    if (state === 'scheduled') {
      throw new Refusal('InvalidRequestException', 'The secret is marked for deletion.');
    }
    if (operation === 'GetSecretValue') {
      if (currentVersion === null) {
        throw new Refusal('ResourceNotFoundException', "Secrets Manager can't find the value for AWSCURRENT.");
      }
      const SecretString = versions.get(currentVersion);
      return { ARN: SECRET_ARN, VersionId: currentVersion, SecretString, VersionStages: ['AWSCURRENT'] };
    }
    if (operation === 'PutSecretValue') {
      const { SecretString: text = '', ClientRequestToken: version = '' } = input;
      if (!/^.{32,64}$/.test(version)) throw new Refusal('InvalidParameterException', 'ClientRequestToken: 32 to 64');
      const known = versions.get(version);
      if (known !== undefined && known !== text) {
        throw new Refusal('ResourceExistsException', `A version ${version} with another value than ${text} is there.`);
      }
      if (known === undefined) add(version, text);
      return { ARN: SECRET_ARN, VersionId: version, VersionStages: ['AWSCURRENT'] };
    }
    throw new Refusal('UnknownOperationException', operation);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const call = { operation, input: JSON.parse(Buffer.concat(chunks).toString()) };
    server.calls.push(call);
    const say = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    };
    try {
      if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) {
        throw new Refusal('MissingAuthenticationTokenException', 'The request is not signed.');
      }
      const fault = server.fault(call);
      if (fault === 'unanswered') return;
      // As careless as a service might be: it repeats what it was sent.
      if (fault !== null && fault !== 'answer-lost') {
        throw new Refusal(fault.error, `refused: ${JSON.stringify(call.input)}`, fault.status);
      }
      const answer = carryOut(call);
      if (fault === 'answer-lost') request.socket.destroy();
      else say(200, answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say(error.status, { __type: error.type, message: error.message });
    }
  }

  const http = createServer(serve);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: SecretsManager = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    calls: [],
    fault: () => null,
    overwrite: (text) => add(uuidv4(), text),
    putBack: (version) => {
      currentVersion = version;
    },
    scheduleDeletion: () => {
      state = 'scheduled';
    },
    delete: () => {
      state = 'deleted';
    },
    current: () => (currentVersion === null ? null : { version: currentVersion, text: versions.get(currentVersion)! }),
    values: () => [...versions.values()],
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}
