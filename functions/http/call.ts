/** The types shared by the routes, the handlers and the parts of the service. */
import type { Hono } from 'hono';
import type { Input, Operation, Operations, Output } from '../../shared/api/operation.ts';
import type { AuditEntry, Person } from '../../shared/api/records.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { JobHandle } from '../commands/agent-dispatcher.ts';
import type { Caller } from './caller.ts';
import type { HandlerResult } from './handler-result.ts';
import type { Endpoint } from './paths.ts';
import type { KnownTokens, PresentedToken } from './presented-token.ts';
import type { RequestLimit } from './request-limit.ts';

/** The request of a handler, besides its input. */
export interface Call {
  requestId: string;
  /** The client's address, for the audit; null for a request that did not come over a network. */
  sourceAddress: string | null;
  /** The uploaded file, for an operation that takes one. */
  upload: Uint8Array | null;
  /** How the caller waits for a command. */
  waiting(): Waiting;
  waitLimit: WaitLimit;
  /** Aborted when the client disconnects, as far as the server notices. */
  gone(): AbortSignal;
  idempotencyKey: string | null;
  /** The last event that a reconnecting client has received; empty without one. */
  lastEventId: string;
  ifMatch: string | null;
  ifNoneMatch: string | null;
  /** The path prefix under which the service is reached; for links to itself. */
  prefix: string;
  /** Called with the job that the request has started or joined, for a caller inside this process. */
  onJob: ((job: JobHandle) => void) | undefined;
}

/** The call of an operation that needs a token. */
export type TokenCall = Call & Caller;

/** The call of an operation that is about one site. */
export interface SiteCall extends TokenCall {
  site: SiteId;
}

export interface Waiting {
  /** Whether to stream events instead of waiting for the end. */
  events: boolean;
  /** The end of the wait (Unix, ms); null: only until the command has been accepted. */
  until: number | null;
  /** For the header Preference-Applied; null without a preference. */
  applied: string | null;
}

export interface WaitLimit {
  /** When the request arrived (Unix, ms). */
  arrivedAt: number;
  longestWaitS: number;
}

/** The call of an operation that changes something. */
export interface AuditedCall {
  /**
   * Records the action that the operation declares. Called when the change is made; not for a request that changes nothing.
   * @param detail numbers and names; never a secret
   */
  audit(detail: AuditEntry['detail'], about?: AuditedAbout): Promise<void>;
}

/** The same without a token, so that the actor must be given. */
interface OpenAuditedCall {
  audit(
    detail: AuditEntry['detail'],
    about: AuditedAbout & Required<Pick<AuditedAbout, 'site' | 'actor'>>,
  ): Promise<void>;
}

export interface AuditedAbout {
  /** Null for all sites. Default: that of the call. */
  site?: SiteId | null;
  /** Default: the token of the call, and its owner. */
  actor?: string;
  person?: Person | null;
  changes?: AuditEntry['changes'];
}

/** The call of an operation, as the operation declares it. */
export type CallOf<Op extends Operation> = (Op extends { scope: null }
  ? Call
  : Op extends { perSite: true }
    ? SiteCall
    : TokenCall) &
  (Op extends { audit: string } ? (Op extends { scope: null } ? OpenAuditedCall : AuditedCall) : unknown);

export type Handler<Op extends Operation, Used> = (
  context: Used,
  call: CallOf<Op>,
  input: Input<Op>,
) => Promise<Output<Op> | HandlerResult>;

/** @typeParam Used the part of the context that the handlers use: a function opens no more */
export type Handlers<Ops extends Operations, Used> = { [Name in keyof Ops]: Handler<Ops[Name], Used> };

export interface Env {
  /** From the server, the gateway or, for `note` and `onJob`, a caller inside this process: a client cannot set them. */
  Bindings: {
    /** Absent for a request that did not come over a network. */
    clientAddress?: string;
    /** A name that leads to this service for certain, as reported by a gateway. */
    host?: string;
    /** When the gateway received the request (Unix, ms). */
    arrivedAt?: number;
    note?: InProcessNote;
  } & Partial<Pick<Call, 'onJob'>>;
  Variables: {
    requestId: string;
    /** The headers of every response to the request; see `reply`. */
    headers: Record<string, string>;
    presented: PresentedToken | null;
    knownTokens: KnownTokens;
    prefix: string;
    requestLimit: RequestLimit;
    operation: string;
    route: string;
    tokenId: string;
    site: string | undefined;
    /** The operation that an assistant's request calls inside this process. */
    tool: string;
    errorCode: ErrorCode | undefined;
  };
}

/** Called with what is logged of a request that was answered inside this process. */
export type InProcessNote = (answered: Pick<Env['Variables'], 'operation' | 'site' | 'errorCode'>) => void;

export interface Routes<Used> {
  operations: Readonly<Record<string, Endpoint>>;
  bind: (context: Used) => Hono<Env>;
}
