/**
 * IoT Core, as far as functions and agents can see it: the control plane in which agents are registered, and the data
 * endpoint, where functions come with a signed URL to a broker and end connections of agents. The broker behind it is
 * the embedded one.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import type { CertificateAuthority } from '../../local/certificate-authority.ts';
import { ServiceError } from '../../shared/errors.ts';
import { clientIdOf, readClientId } from '../../shared/identity.ts';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

export const REGION = 'eu-central-1';
const ACCOUNT = '123456789012';

const PUBACK = 4; // MQTT 3.1.1 section 2.2.1.

/** Keys of a role. */
export interface RoleKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

/* ---- The data endpoint ---------------------------------------------------------------------------------------- */

export interface DataEndpoint extends AsyncDisposable {
  /** Host and port, as functions are told in IOT_ENDPOINT. */
  readonly host: string;
  /** How many have been accepted, and why the others were not. */
  readonly accepted: number;
  readonly refusals: readonly string[];
  /** When a function last sent something of its own, other than to acknowledge (`performance.now()`). */
  readonly lastSentAt: number;
  /** Those that are good; others are refused. */
  keys: RoleKeys;
  /** Ends all connections of functions, as a broker does that is restarted. */
  cut(): void;
  /** Functions cannot connect while it is set. */
  isDown: boolean;
}

export interface DataEndpointOptions {
  authority: CertificateAuthority;
  keys: RoleKeys;
  /** TCP port of the embedded broker on 127.0.0.1. */
  brokerPort(): number;
  /** Cuts the connection of a client; false when there was none. */
  disconnect(clientId: string): boolean;
  publish(topic: string, payload: string): Promise<void>;
}

export async function startDataEndpoint(options: DataEndpointOptions): Promise<DataEndpoint> {
  const { authority, keys, brokerPort, disconnect, publish } = options;
  const open = new Set<WebSocket>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: 256 * 1024,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has('mqtt') ? 'mqtt' : false),
  });
  const server = createHttpsServer({ key: authority.broker.key, cert: authority.broker.certificate });

  server.on('request', async (request, response) => {
    if (!isSignedBy(request, endpoint.keys)) return answer(response, 403, 'ForbiddenException');
    const [, topic = ''] = /^\/topics\/([^/?]+)/.exec(request.url ?? '') ?? [];
    if (request.method === 'POST' && topic !== '') {
      await publish(decodeURIComponent(topic), await text(request));
      return answer(response, 200, null);
    }
    const [, client = ''] = /^\/connections\/([^/?]+)/.exec(request.url ?? '') ?? [];
    if (request.method !== 'DELETE' || client === '') return answer(response, 404, 'ResourceNotFoundException');
    const found = disconnect(decodeURIComponent(client));
    return answer(response, found ? 200 : 404, found ? null : 'ResourceNotFoundException');
  });

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (endpoint.isDown) return void socket.destroy();
    const refusal = refusalOf(request, endpoint.keys);
    if (refusal !== null) {
      endpoint.refusals.push(refusal);
      return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      endpoint.accepted++;
      open.add(client);
      client.once('close', () => open.delete(client));
      // Whoever has the right signature is a function: the embedded broker knows functions by a certificate.
      const broker = connect({
        host: '127.0.0.1',
        port: brokerPort(),
        ca: authority.certificate,
        key: authority.functions.key,
        cert: authority.functions.certificate,
      });
      broker.setNoDelay(true);
      client.on('message', (packet: Buffer) => {
        if ((packet[0] ?? 0) >> 4 !== PUBACK) endpoint.lastSentAt = performance.now();
      });
      const stream = createWebSocketStream(client);
      const over = () => {
        client.terminate();
        broker.destroy();
      };
      pipeline(stream, broker, over);
      pipeline(broker, stream, over);
    });
  });
  const cut = () => {
    for (const client of open) client.terminate();
  };
  const endpoint = {
    host: `127.0.0.1:${await listenOnLoopback(server)}`,
    keys,
    accepted: 0,
    refusals: [] as string[],
    lastSentAt: 0,
    isDown: false,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await closeServer(server);
    },
  };
  return endpoint;
}

/** Why a connection is refused; null when these keys signed it. The signature itself is tested beside `signed-url.ts`. */
function refusalOf(request: IncomingMessage, keys: RoleKeys): string | null {
  const url = new URL(request.url ?? '/', 'wss://iot');
  if (url.pathname !== '/mqtt') return `no such path: ${url.pathname}`;
  const [accessKeyId] = (url.searchParams.get('X-Amz-Credential') ?? '').split('/');
  const isOurs = accessKeyId === keys.accessKeyId && url.searchParams.get('X-Amz-Security-Token') === keys.sessionToken;
  return isOurs ? null : 'unknown access key';
}

/** For the calls of the SDK, whose signer is not ours: whose keys they are. */
function isSignedBy({ headers }: IncomingMessage, keys: RoleKeys): boolean {
  const { authorization = '' } = headers;
  return (
    authorization.startsWith(`AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/`) &&
    headers['x-amz-security-token'] === keys.sessionToken
  );
}

/* ---- The control plane ---------------------------------------------------------------------------------------- */

interface Certificate {
  arn: string;
  /** By which the embedded broker knows it. */
  serial: string;
  pem: string;
  status: 'ACTIVE' | 'INACTIVE' | 'REVOKED';
  policies: Set<string>;
  things: Set<string>;
}

export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  /** Whether the holder of the certificate with this serial number may connect as the agent that it names. */
  isUsable(serial: string): boolean;
}

export interface ControlPlaneOptions {
  authority: CertificateAuthority;
  keys(): RoleKeys;
  /** The policy that lets an agent connect. */
  policy: string;
}

type Handler = (parts: string[], query: URLSearchParams, call: { body: unknown; principal: string }) => unknown;

class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** The calls that enrolment and revocation make (AWS IoT API Reference), over HTTP. */
export async function startControlPlane({ authority, keys, policy }: ControlPlaneOptions): Promise<ControlPlane> {
  const things = new Set<string>();
  const certificates = new Map<string, Certificate>();
  let lastThing = '';

  const known = (id: string | undefined): Certificate => {
    const found = certificates.get(id ?? '');
    if (found === undefined) throw new Refusal(404, 'ResourceNotFoundException', 'no such certificate');
    return found;
  };
  const byArn = (arn: string) => known(arn.split(':cert/')[1]);
  const thing = (name: string | undefined) => {
    if (!things.has(name ?? '')) throw new Refusal(404, 'ResourceNotFoundException', 'no such thing');
    return name ?? '';
  };
  const arnOf = (kind: string, name: string) => `arn:aws:iot:${REGION}:${ACCOUNT}:${kind}/${name}`;

  const handlers: Record<string, Handler> = {
    'POST /things/*': ([name = '']) => {
      if (!/^[a-zA-Z0-9:_-]{1,128}$/.test(name)) throw new Refusal(400, 'InvalidRequestException', 'thing name');
      things.add(name);
      lastThing = name;
      return { thingName: name, thingArn: arnOf('thing', name) };
    },
    'DELETE /things/*': ([name]) => {
      things.delete(thing(name));
      return {};
    },
    'GET /things/*/principals': ([name]) => {
      const of = thing(name);
      return { principals: [...certificates.values()].filter(({ things }) => things.has(of)).map(({ arn }) => arn) };
    },
    'PUT /things/*/principals': ([name], query, { principal }) => {
      const certificate = byArn(principal);
      if (query.get('thingPrincipalType') !== 'EXCLUSIVE_THING') {
        throw new Refusal(400, 'InvalidRequestException', 'the certificate would be good for other things too');
      }
      certificate.things.add(thing(name));
      return {};
    },
    'DELETE /things/*/principals': ([name], _query, { principal }) => {
      byArn(principal).things.delete(thing(name));
      return {};
    },
    'POST /certificates': async (_parts, query, { body }) => {
      const { certificateSigningRequest } = body as { certificateSigningRequest: string };
      const identity = readClientId(lastThing);
      if (identity === null) throw new Refusal(400, 'InvalidRequestException', 'the thing is not an agent');
      // The embedded broker finds the client id in the certificate; IoT Core would find it at the thing.
      const { certificate, serial } = await authority
        .issue(clientIdOf(identity.stage, identity.agent), certificateSigningRequest)
        .catch((error: unknown) => {
          if (!(error instanceof ServiceError)) throw error;
          throw new Refusal(400, 'InvalidRequestException', error.message);
        });
      const certificateId = createHash('sha256').update(certificate).digest('hex');
      const arn = arnOf('cert', certificateId);
      const status = query.get('setAsActive') === 'true' ? 'ACTIVE' : 'INACTIVE';
      certificates.set(certificateId, {
        arn,
        serial,
        pem: certificate,
        status,
        policies: new Set(),
        things: new Set(),
      });
      return { certificateArn: arn, certificateId, certificatePem: certificate };
    },
    'GET /certificates/*': ([id]) => {
      const { arn, status, pem } = known(id);
      return { certificateDescription: { certificateArn: arn, certificateId: id, status, certificatePem: pem } };
    },
    'PUT /certificates/*': ([id], query) => {
      known(id).status = query.get('newStatus') as Certificate['status'];
      return {};
    },
    'DELETE /certificates/*': ([id]) => {
      const { things: attached, policies, status } = known(id);
      if (status === 'ACTIVE') throw new Refusal(409, 'CertificateStateException', 'the certificate is active');
      if (attached.size > 0 || policies.size > 0) throw new Refusal(409, 'DeleteConflictException', 'it is attached');
      certificates.delete(id ?? '');
      return {};
    },
    'PUT /target-policies/*': ([name = ''], _query, { body }) => {
      byArn((body as { target: string }).target).policies.add(name);
      return {};
    },
    'POST /target-policies/*': ([name = ''], _query, { body }) => {
      byArn((body as { target: string }).target).policies.delete(name);
      return {};
    },
  };

  const server = createServer(async (request, response) => {
    try {
      const url = new URL(request.url ?? '/', 'http://iot');
      const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
      const shape = parts.map((part, i) => (i % 2 === 1 ? '*' : part)).join('/');
      if (!isSignedBy(request, keys())) throw new Refusal(403, 'UnauthorizedException', 'not signed by the role');
      const handler = handlers[`${request.method} /${shape}`];
      if (handler === undefined) throw new Refusal(404, 'UnknownOperationException', url.pathname);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const principal = String(request.headers['x-amzn-principal'] ?? '');
      const values = parts.filter((_, i) => i % 2 === 1);
      const result = await handler(values, url.searchParams, { body: text === '' ? {} : JSON.parse(text), principal });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
    } catch (error) {
      if (error instanceof Refusal) answer(response, error.status, error.type, error.message);
      else answer(response, 500, 'InternalFailureException', String(error));
    }
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;

  return {
    url,
    isUsable(serial) {
      return [...certificates.values()].some(
        (one) => one.serial === serial && one.status === 'ACTIVE' && one.things.size === 1 && one.policies.has(policy),
      );
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

function answer(response: ServerResponse, status: number, error: string | null, message = ''): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(error === null ? {} : { 'x-amzn-errortype': error }),
  });
  response.end(JSON.stringify(error === null ? {} : { message }));
}
