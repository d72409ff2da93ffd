/**
 * The first token of a deployment, with all rights. It is created when an operator of the AWS account requests it, and
 * returned in that one response; the table keeps its digest. If the response is lost, the operator requests a replacement,
 * which revokes it.
 */
import * as z from 'zod';
import type { AuditEvent } from '../http/audit-log.ts';
import { makeToken, tokenId } from '../http/token.ts';
import type { Stores } from '../stores.ts';
import { hasNoFirstToken, provideTableFormat } from '../table/format.ts';
import { createHomeSite, rootTokenRow } from './first-access.ts';
import type { FirstToken } from './first-token-store.ts';

interface SetupContext extends Pick<Stores, 'table' | 'sites' | 'devices' | 'tokens' | 'firstToken' | 'audit'> {
  now(): Date;
}

/** Strict, so that a misspelt `replace` is rejected instead of ignored. */
const Request = z.strictObject({ replace: z.boolean().default(false) });

export interface TokenMade extends FirstToken {
  success: true;
  token: string;
  /** Id of the replaced first token, if that was still valid. */
  revoked: string | null;
}

export interface NoTokenMade extends Partial<FirstToken> {
  success: false;
  message: string;
}

const NAME = 'first token';
const EXISTS =
  'The first token was made before, and cannot be shown again. To revoke it and get another one, call again with {"replace": true}.';
const REVOKED = 'The first token has been revoked. To get another one, call again with {"replace": true}.';

/**
 * Creates the first token, and the site `home` if it is missing. If there was a first token before, even a revoked one,
 * another is created only for `{"replace": true}`.
 * @param event the payload of the invocation
 */
export async function makeFirstToken(
  context: SetupContext,
  event: unknown,
  requestId: string,
): Promise<TokenMade | NoTokenMade> {
  const request = Request.safeParse(event);
  if (!request.success) {
    return {
      success: false,
      message: 'Expected {} as the payload, or {"replace": true} to revoke the first token and get another one',
    };
  }
  const { audit, tokens, firstToken, now, table } = context;
  await provideTableFormat(table, 'The table', hasNoFirstToken);
  const auditEvent = { actor: 'deployment', requestId, sourceAddress: null };
  const home = await createHomeSite(context);
  if (home !== null)
    await audit.record({ ...auditEvent, site: home.id, action: 'site.add', detail: { name: home.name } });

  const former = await firstToken.read();
  const isValid = former !== null && (await tokens.find(former.id, { consistent: true })) !== null;
  if (former !== null && !request.data.replace)
    return { success: false, message: isValid ? EXISTS : REVOKED, ...former };
  const token = makeToken();
  const id = tokenId(token)!;
  const row = rootTokenRow(token, NAME, now());
  const revoked = isValid ? former.id : null;
  const auditEvents: AuditEvent[] = [{ ...auditEvent, site: null, action: 'token.create', detail: { id, name: NAME } }];
  if (revoked !== null)
    auditEvents.push({ ...auditEvent, site: null, action: 'token.revoke', detail: { id: revoked, name: NAME } });
  if (await firstToken.replace(former, id, row, auditEvents))
    return { success: true, token, id, createdAt: row.createdAt, revoked };
  return makeFirstToken(context, {}, requestId); // A concurrent call was faster. The response names its token.
}
