/** Puts one site back as it was in a backup, while the system runs: see `store/backup/site-restores.ts`. */
import { revokeAgent } from '../../api/access/revocation.ts';
import type { Context, RequestContext } from '../../api/context/context.ts';
import type { Handlers } from '../../api/http/call.ts';
import { validationError } from '../../api/http/errors.ts';
import type { backupOperations } from '../../shared/backup/operations.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { AgentId, SiteId } from '../../shared/identity.ts';
import { certificateIds, rowOf } from '../../store/access/agent-row.ts';
import type { Removal } from '../../store/access/site-removal.ts';
import type { ValidToken } from '../../store/access/token-store.ts';
import { collectionRestored, siteRestored } from '../../store/backup/restored-rows.ts';
import { itemOf, siteOf } from '../../store/backup/row-text.ts';
import { openSiteRestores } from '../../store/backup/site-restores.ts';
import { PREFIXES, rows, sitePartition } from '../../store/rows.ts';
import { type Item, listItems, requireStorable } from '../../store/table.ts';
import type { CertificateAuthority } from '../certificate-authority.ts';

export interface SiteRestoreContext {
  context: Context;
  authority: Pick<CertificateAuthority, 'certificate' | 'isRevoked' | 'reinstate'>;
}

/** The restore that is under way in this process. */
interface UnderWay extends Removal {
  /** Are put last: with them everything is there. */
  siteRow: Item | null;
  collection: Item | null;
  rows: number;
}

type RestoreHandlers = Omit<Handlers<typeof backupOperations, RequestContext>, 'makeBackup'>;

export function siteRestoreHandlers({ context, authority }: SiteRestoreContext): RestoreHandlers {
  const { table, sites, devices, removals } = context;
  const restores = openSiteRestores(table);
  let underWay: UnderWay | null = null;

  function known(site: SiteId, id: string): UnderWay {
    if (underWay?.site === site && underWay.id === id) return underWay;
    throw new ServiceError('conflict', INTERRUPTED);
  }

  /** @returns the agents that come back by themselves, and those that have to be enrolled again */
  async function reinstate(site: SiteId, isOurs: boolean, revoked: ReadonlySet<string>) {
    const agents: AgentId[] = [];
    const lostAgents: AgentId[] = [];
    const serials: string[] = [];
    for (const item of await listItems(table, sitePartition(site), PREFIXES.agent)) {
      const valid = certificateIds(rowOf(item).certificates).filter((serial) => !revoked.has(serial));
      serials.push(...valid);
      if (rowOf(item).certificates !== null)
        (isOurs && valid.length > 0 ? agents : lostAgents).push(item.sk.slice(PREFIXES.agent.length));
    }
    if (isOurs) await authority.reinstate(serials.filter((serial) => authority.isRevoked(serial)));
    return { agents, lostAgents };
  }

  return {
    async beginSiteRestore(_context, call, { site, replace }) {
      requireAllSites(call.token);
      const begun = await restores.begin(site, replace, context.now());
      if (begun === 'exists') {
        throw new ServiceError('conflict', `There is a site "${site}". With --replace it is removed first`);
      }
      await call.audit({ site, replace, step: 'begin' }, { site: null });
      underWay = { ...begun, siteRow: null, collection: null, rows: 0 };
      const isUnderWay = () => removals.isUnderWay(begun);
      await devices.retire(site, isUnderWay);
      for (const agent of await removals.agents(site)) await revokeAgent(context, agent, isUnderWay);
      await removals.sweep(begun, () => false);
      return { success: true, id: begun.id };
    },

    async putSiteRows(_context, { token }, { site, id, rows: lines }) {
      requireAllSites(token);
      const restore = known(site, id);
      const items = lines.map((line, i) => checked(site, line, i));
      const isAt = ({ pk, sk }: Item, key: { pk: string; sk: string }) => pk === key.pk && sk === key.sk;
      restore.siteRow = items.find((item) => isAt(item, rows.site(site))) ?? restore.siteRow;
      restore.collection = items.find((item) => isAt(item, rows.collection(site))) ?? restore.collection;
      const others = items.filter((item) => !isAt(item, rows.site(site)) && !isAt(item, rows.collection(site)));
      if (!(await restores.put(restore, others))) throw new ServiceError('conflict', INTERRUPTED);
      restore.rows += items.length;
      return { success: true };
    },

    async endSiteRestore(_context, call, { site, id, authority: theirs, revoked }) {
      requireAllSites(call.token);
      const restore = known(site, id);
      const { siteRow, collection } = restore;
      if (siteRow === null || collection === null) {
        throw new ServiceError('conflict', `The rows of the site "${site}" itself have not been put`);
      }
      const now = context.now();
      await sites.resetPresence(site); // Before its agents may connect, whose presence is news then.
      if (!(await restores.end(restore, siteRestored(siteRow, now), collection)))
        throw new ServiceError('conflict', INTERRUPTED);
      underWay = null;
      await devices.read(site); // Ends a change that was under way.
      const current = await table.get(rows.collection(site), { consistent: true });
      if (current !== null && current.pending === undefined)
        await table.put(collectionRestored(current, now), { equals: { ver: Number(current.ver) } });
      await sites.updateStaleness(site);
      const isOurs = theirs.trim() === authority.certificate.trim();
      const came = await reinstate(site, isOurs, new Set(revoked));
      await call.audit({ site, step: 'end', rows: restore.rows }, { site: null });
      return { success: true, rows: restore.rows, ...came };
    },
  };
}

const INTERRUPTED = 'This restore is not under way any more. Begin it again';

/** @throws {ServiceError} `site_forbidden` for a token that is for some sites only */
export function requireAllSites({ sites }: ValidToken): void {
  if (sites !== '*') throw new ServiceError('site_forbidden', 'Only a token for all sites may do that');
}

function checked(site: SiteId, line: object, i: number): Item {
  const wrong = (message: string) => validationError([{ path: `rows.${i}`, message }]);
  let item: Item;
  try {
    item = itemOf(line);
    requireStorable(item);
  } catch {
    throw wrong('expected a row of a backup');
  }
  if (siteOf(item) !== site) throw wrong(`expected a row of the site "${site}"`);
  return item;
}
