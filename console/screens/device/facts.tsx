/** The facts about the device: addresses, kind, place, and which agents see it. */
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import sameTexts from 'messages:same';
import watchTexts from 'messages:watch';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { DeviceField } from '../../../shared/device.ts';
import { KINDS } from '../../../shared/recognition/kind-table.ts';
import { ask } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { kindText } from '../../text/kind-texts.ts';
import { Button } from '../../ui/button.tsx';
import { Status } from '../../ui/status.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { pathOf } from '../devices/device.ts';
import { useJoin } from '../same/use-join.ts';
import { DETAILS, Evidence } from './evidence.tsx';
import { AddressRow, FactRow, type Judged, Pair } from './fact-row.tsx';
import styles from './facts.module.css';
import { isRandomizedMac } from './history.ts';
import { TEXT_FIELDS } from './merge-edit.ts';
import { useDeviceScreen } from './screen.ts';

/** Fields that few devices have. */
const RARE = [
  'devSite',
  'devStaticIP',
  'devVlan',
  'devSSID',
  'devParentRelType',
  'devIcon',
  'devCustomProps',
  'devSourcePlugin',
  'devGUID',
] as const satisfies DeviceField[];

export function Facts() {
  const { site, device, mayEdit, edit } = useDeviceScreen();
  const question = { site, params: { mac: device.key } };
  const { data: evidence } = useAnswer('GET /devices/{mac}/evidence', question, { everyMs: POLL_MS.calm });
  const { kind, vendor, model } = evidence?.judgement ?? {};
  const row = (field: DeviceField, judged: Judged | null = null, value?: ReactNode) => (
    <FactRow {...{ field, judged, value }} />
  );
  return (
    <section className={`card ${styles.sections} grid gap-x-8 min-w-0 px-4`} aria-label={texts.profile}>
      <Section label={texts.addresses}>
        <dl>
          <Addresses />
        </dl>
        <OtherMacs />
      </Section>
      <Section label={texts.whatItIs}>
        <dl>
          {row(
            'devType',
            kind ? { ...kind, value: KINDS[kind.value].label } : null,
            device.devType === '' ? undefined : <span data-foreign>{kindText(device.devType)}</span>,
          )}
          {row('devVendor', vendor)}
          {row('devModel', model)}
        </dl>
        {evidence === undefined ? null : <Evidence of={evidence} />}
      </Section>
      <Section label={texts.place}>
        <dl>
          {row('devOwner')}
          {row('devGroup')}
          {row('devLocation')}
          {row('devParentMAC', null, device.devParentMAC === '' ? undefined : <Parents />)}
          {device.devParentMAC === '' ? null : <FactRow field="devParentPort" label={texts.parentPort} />}
          {row('devComments')}
        </dl>
      </Section>
      <Section label={texts.seen}>
        <dl>
          <Pair label={fieldLabels.devFirstConnection}>
            <Time at={device.devFirstConnection} />
          </Pair>
          <Pair label={fieldLabels.devLastConnection}>
            <LastSeen />
          </Pair>
          <Pair label={texts.seenBy}>
            <SeenBy />
          </Pair>
        </dl>
        <More />
      </Section>
      {mayEdit && TEXT_FIELDS.some((field) => device[field] === '' && field !== 'devParentPort') ? (
        <div className="col-span-full -mx-2 pb-2">
          <Button look="quiet" className="text-muted font-normal" onClick={() => edit('devOwner')} icon={<Plus />}>
            {texts.add}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function Section({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      className={`${styles.section} grid gap-1 content-start min-w-0 py-3 border-line has-[>dl:empty]:hidden [&_dl]:grid [&_dl]:gap-0.5`}
      aria-label={label}
    >
      {children}
    </section>
  );
}

function Addresses() {
  const { devPrimaryIPv4, devPrimaryIPv6, devLastIP, devMac, devFQDN } = useDeviceScreen().device;
  const isOther = (address: string) => address !== '' && address !== devLastIP;
  return (
    <>
      {devLastIP === '' ? (
        <Pair label={fieldLabels.devLastIP}>
          <span className="text-muted text-xs">{texts.notKnown}</span>
        </Pair>
      ) : (
        <AddressRow label={fieldLabels.devLastIP} text={devLastIP} />
      )}
      {isOther(devPrimaryIPv4) ? <AddressRow label={fieldLabels.devPrimaryIPv4} text={devPrimaryIPv4} /> : null}
      {isOther(devPrimaryIPv6) ? <AddressRow label={fieldLabels.devPrimaryIPv6} text={devPrimaryIPv6} /> : null}
      {devMac === '' ? (
        <Pair label={fieldLabels.devMac}>
          <span className="text-muted text-xs">{texts.noMac}</span>
        </Pair>
      ) : (
        <AddressRow
          label={fieldLabels.devMac}
          text={devMac}
          hint={isRandomizedMac(devMac) ? texts.madeUpMac : undefined}
        />
      )}
      {devFQDN === '' ? null : <AddressRow label={fieldLabels.devFQDN} text={devFQDN} />}
    </>
  );
}

/** The other MAC addresses, each of which can become a device of its own again. */
function OtherMacs() {
  const { site, device, mayEdit } = useDeviceScreen();
  const { split, isBusy } = useJoin(site);
  const { joined, key } = device;
  if (joined.length === 0) return null;
  const all = joined.map(({ mac }) => mac);
  return (
    <section
      aria-label={sameTexts.otherMacs}
      className={`${styles.otherMacs} grid gap-2 justify-items-start mt-2 [&_h2]:text-sm [&_ul]:grid [&_ul]:gap-2 [&_ul]:w-full`}
    >
      <h2>{sameTexts.otherMacs}</h2>
      <ul>
        {joined.map(({ mac, ip, online, seenAt }) => (
          <li key={mac}>
            <div>
              <code>{mac}</code>
              <div className="text-muted text-xs">
                {ip === '' ? null : <span>{ip} · </span>}
                {online ? sameTexts.now : <Time at={seenAt} />}
              </div>
            </div>
            {mayEdit ? (
              <Button disabled={isBusy} aria-label={sameTexts.splitOf({ mac })} onClick={() => void split(key, [mac])}>
                {sameTexts.split}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {mayEdit && joined.length > 1 ? (
        <Button disabled={isBusy} onClick={() => void split(key, all)}>
          {sameTexts.splitAll}
        </Button>
      ) : null}
    </section>
  );
}

/** The tooltip says when the device will count as offline. */
function LastSeen() {
  const { watch, devStatus, lastSeenAt, devMac } = useDeviceScreen().device;
  if (watch.state !== 'watched' || devStatus !== 'online') return <Time at={lastSeenAt} />;
  return <span title={texts.countsAsOffline({ minutes: isRandomizedMac(devMac) ? 15 : 5 })}>{watchTexts.now}</span>;
}

function SeenBy() {
  const { seenBy } = useDeviceScreen().device;
  if (seenBy.length === 0) return <span className="text-muted text-xs">{texts.seenByNobody}</span>;
  return (
    <ul className="grid gap-0.5 [&_li]:flex [&_li]:flex-wrap [&_li]:gap-y-0 [&_li]:gap-x-2">
      {seenBy.map(({ agent, online, since }) => (
        <li key={agent}>
          <Status tone={online ? 'good' : 'calm'}>
            <span data-foreign>{agent}</span>
          </Status>
          <span className="text-muted text-xs">
            {online ? texts.sees : texts.seesNot} <Moment at={since} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Parents() {
  const { site, device } = useDeviceScreen();
  const first = device.devParentMAC;
  const parents = useParents(site, first);
  // As high as the names, which follow.
  if (parents === undefined) return <span className="w-32 h-3 rounded-[5px] bg-sunken" />;
  return (
    <span
      className="text-muted truncate [&_a]:no-underline [&_a:hover]:underline"
      title={parents.map(({ name }) => name).join(' ‹ ')}
    >
      {parents.map(({ key, name, isKnown }, i) => (
        <span key={key}>
          {i === 0 ? null : <span aria-hidden="true"> ‹ </span>}
          {isKnown ? (
            <Link href={pathOf(site, { key })} title={key} data-foreign>
              {name}
            </Link>
          ) : (
            <span data-foreign>{name}</span>
          )}
        </span>
      ))}
    </span>
  );
}

function More() {
  const { device } = useDeviceScreen();
  const rare = RARE.filter((field) => device[field] !== '' && device[field] !== 0);
  const extra = Object.entries(device.extra);
  if (rare.length + extra.length === 0) return null;
  return (
    <details className={DETAILS}>
      <summary>{texts.more}</summary>
      <dl>
        {rare.map((field) => (
          <Pair key={field} label={fieldLabels[field]}>
            <span data-foreign>{String(device[field])}</span>
          </Pair>
        ))}
        {extra.map(([name, value]) => (
          <Pair key={`extra ${name}`} label={name}>
            <span data-foreign>{value}</span>
          </Pair>
        ))}
      </dl>
    </details>
  );
}

interface Parent {
  key: string;
  /** The key where there is no name. */
  name: string;
  /** Whether there is a device of this key. */
  isKnown: boolean;
}

/** Longer chains are cut; those that people have entered may even be circular. */
const MOST = 6;
const FRESH_MS = 60_000;

/** The nearest first; undefined until it is known. */
function useParents(site: string, first: string): Parent[] | undefined {
  return useQuery({
    queryKey: ['parents', site, first],
    queryFn: ({ signal }) => parentsFrom(site, first, signal),
    staleTime: FRESH_MS,
  }).data;
}

async function parentsFrom(site: string, first: string, signal: AbortSignal): Promise<Parent[]> {
  const parents: Parent[] = [];
  let key = first;
  while (key !== '' && parents.length < MOST && parents.every((parent) => parent.key !== key)) {
    try {
      const device = await ask('GET /devices/{mac}', { site, params: { mac: key }, signal });
      parents.push({ key, name: device.devName === '' ? key : device.devName, isKnown: true });
      key = device.devParentMAC;
    } catch (error) {
      if (problemOf(error).code !== 'not_found') throw error;
      parents.push({ key, name: key, isKnown: false });
      break;
    }
  }
  return parents;
}
