/** What the routes, the handlers and the parts of the service agree on. */
import type { Hono } from 'hono';
import type { Input, Operation, Operations, Output } from '../../shared/api/operation.ts';
import type { AuditEntry } from '../../shared/api/records.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { JobHandle } from '../commands/agent-dispatcher.ts';
import type { Caller } from './caller.ts';
import type { HandlerResult } from './handler-result.ts';
import type { Endpoint } from './paths.ts';
import type { KnownTokens, PresentedToken } from './presented-token.ts';
import type { RequestLimit } from './request-limit.ts';

/** What every handler knows about its request besides the input. */
export interface Call {
  requestId: string;
  /** The address of the client, for the audit; null for a request that did not come over a network. */
  sourceAddress: string | null;
  /** The uploaded file, for an operation that takes one. */
  upload: Uint8Array | null;
  /** How the caller wants to wait, for an operation that runs a command or follows one. */
  waiting(): Waiting;
  waitLimit: WaitLimit;
  /** Aborted when the client has gone, as far as the server notices that. */
  gone(): AbortSignal;
  /** The Idempotency-Key header, for a request that may be repeated; null without one. */
  idempotencyKey: string | null;
  /** The Last-Event-ID header: the last event that a reconnecting client has received; empty without one. */
  lastEventId: string;
  /** The If-Match header; null without one. */
  ifMatch: string | null;
  /** The If-None-Match header; null without one. */
  ifNoneMatch: string | null;
  /** The path prefix under which the service is reached; for links to itself. */
  prefix: string;
  /** Told of the command that the request has started or joined, by a caller inside this process. */
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
  /** Until when to wait for the end (Unix, ms); null means only until the command has been accepted. */
  until: number | null;
  /** The preferences that are followed, for the header Preference-Applied; null when there are none. */
  applied: string | null;
}

/** What bounds the wait of a request. */
export interface WaitLimit {
  /** When the request arrived (Unix, ms). */
  arrivedAt: number;
  longestWaitS: number;
}

/** The call of an operation that changes something. */
export interface AuditedCall {
  /**
   * Writes the entry of the audit, whose action the operation declares. Called when the change is made, and not for a
   * request that has changed nothing.
   * @param detail numbers and names that say what was changed; never a secret
   */
  audit(detail: AuditEntry['detail'], about?: AuditedAbout): Promise<void>;
}

/** The same without a token, so that it must be said who has made the change. */
interface OpenAuditedCall {
  audit(detail: AuditEntry['detail'], about: Required<AuditedAbout>): Promise<void>;
}

export interface AuditedAbout {
  /** The site that it concerns, null for all sites. Default: that of the call. */
  site?: SiteId | null;
  /** Default: the token of the call. */
  actor?: string;
}

/** What the handler of an operation knows about its request, as the operation declares it. */
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

/** @typeParam Used what the handlers use: a function with a part of the context opens no more than that */
export type Handlers<Ops extends Operations, Used> = { [Name in keyof Ops]: Handler<Ops[Name], Used> };

/** What the server or the gateway says of a request, and the variables that middleware and routes share. */
export interface Env {
  /**
   * The address of the client, absent for a request that did not come over a network; when the gateway received it
   * (Unix, ms), where there is one; and what a caller inside this process passes with a request, which one from outside
   * cannot have.
   */
  Bindings: {
    clientAddress?: string;
    /** A name that leads to this service for certain, as a gateway says. */
    host?: string;
    arrivedAt?: number;
    note?: InProcessNote;
  } & Partial<Pick<Call, 'onJob'>>;
  Variables: {
    requestId: string;
    /** The headers of the answer, whatever it will be; see `reply`. */
    headers: Record<string, string>;
    /** The token in the Authorization header; null without one. */
    presented: PresentedToken | null;
    knownTokens: KnownTokens;
    prefix: string;
    requestLimit: RequestLimit;
    /** The name of the operation in its table. */
    operation: string;
    route: string;
    tokenId: string;
    site: string | undefined;
    /** The operation that the request calls inside this process, as assistants do. */
    tool: string;
    /** Why the request was refused or failed. */
    errorCode: ErrorCode | undefined;
  };
}

/** Told of a request that was answered inside this process. */
export type InProcessNote = (answered: Pick<Env['Variables'], 'operation' | 'site' | 'errorCode'>) => void;

/** Operations with what answers them. */
export interface Routes<Used> {
  operations: Readonly<Record<string, Endpoint>>;
  bind: (context: Used) => Hono<Env>;
}
