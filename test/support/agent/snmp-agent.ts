/** A device that answers by SNMP, on loopback: the agent of net-snmp with objects as a test wants them. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AuthProtocols, createAgent, ObjectType, type PrivProtocols, type SecurityLevel } from 'net-snmp';

export interface MadeUpObject {
  oid: string;
  type: ObjectType;
  value: unknown;
}

export interface SnmpAgentOptions {
  address: string;
  port: number;
  community?: string;
  user?: {
    name: string;
    level: SecurityLevel;
    authProtocol: AuthProtocols;
    authKey: string;
    privProtocol: PrivProtocols;
    privKey: string;
  };
  objects: readonly MadeUpObject[];
  /** What follows an object, in place of the next ones. */
  next?(oid: string): MadeUpObject[];
}

interface Request {
  pdu: { varbinds: { oid: string }[]; getResponsePduForRequest(): { varbinds: MadeUpObject[] } };
}

/** A UDP port of loopback that was free a moment ago. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}

export function startSnmpAgent({ address, port, community, user, objects, next }: SnmpAgentOptions) {
  const agent = createAgent({ address, port, accessControlModelType: 0 }, () => {});
  if (community !== undefined) agent.getAuthorizer().addCommunity(community);
  if (user !== undefined) agent.getAuthorizer().addUser(user);
  const inOrder = [...objects].sort((a, b) => compare(a.oid, b.oid));
  let asked = 0;
  const answer = (socket: unknown, request: Request, from: unknown, varbinds: MadeUpObject[]) => {
    asked++;
    const response = request.pdu.getResponsePduForRequest();
    response.varbinds = varbinds;
    agent.sendResponse(socket, from, request, response);
  };
  agent.getRequest = (socket: unknown, request: Request, from: unknown) => {
    const found = request.pdu.varbinds.map(
      ({ oid }) => objects.find((each) => each.oid === oid) ?? { oid, type: ObjectType.NoSuchObject, value: null },
    );
    answer(socket, request, from, found);
  };
  agent.getBulkRequest = (socket: unknown, request: Request, from: unknown) => {
    const [{ oid } = { oid: '' }] = request.pdu.varbinds;
    const rest = inOrder.filter((each) => compare(each.oid, oid) > 0).slice(0, 20);
    const end = { oid, type: ObjectType.EndOfMibView, value: null };
    answer(socket, request, from, next?.(oid) ?? (rest.length === 0 ? [end] : rest));
  };
  return {
    /** How many questions it has answered. */
    get asked() {
      return asked;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => agent.close(() => resolve())),
  };
}

function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((oid) => oid.split('.').map(Number)) as [number[], number[]];
  const at = a.findIndex((number, i) => number !== b[i]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}
