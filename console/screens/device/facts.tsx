/** What is known of the device: its addresses, what it is, where it belongs, and who sees it. */
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import watchTexts from 'messages:watch';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import type { DeviceField } from '../../../shared/device.ts';
import { KINDS } from '../../../shared/recognition/kind-table.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { kindText } from '../../text/kind-texts.ts';
import { Button } from '../../ui/button.tsx';
import { Status } from '../../ui/status.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { Evidence } from './evidence.tsx';
import { AddressRow, FactRow, Pair, type Said } from './fact-row.tsx';
import styles from './facts.module.css';
import { isMadeUpMac } from './history.ts';
import { OtherMacs } from './other-macs.tsx';
import { useParents } from './use-parents.ts';

interface Props {
  site: string;
  device: OneDevice;
  mayEdit: boolean;
}

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

export function Facts({ site, device, mayEdit }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const evidence = useAnswer(
    'GET /devices/{mac}/evidence',
    { site, params: { mac: device.key } },
    { everyMs: POLL_MS.calm },
  );
  const judged = evidence.data?.judgement;
  const row = (field: DeviceField, said: Said | null = null, value?: ReactNode) => (
    <FactRow {...{ site, device, mayEdit, field, said }} {...(value === undefined ? {} : { value })} />
  );
  return (
    <div id={id} className={`${styles.sections} grid min-w-0`} data-open={isOpen}>
      <Section label={texts.addresses}>
        <dl>
          <Addresses device={device} />
        </dl>
        <OtherMacs {...{ site, device, mayEdit }} />
      </Section>
      <Section label={texts.whatItIs}>
        <dl>
          {row(
            'devType',
            judged?.kind ? { ...judged.kind, value: KINDS[judged.kind.value].label } : null,
            device.devType === '' ? undefined : <span data-foreign>{kindText(device.devType)}</span>,
          )}
          {row('devVendor', judged?.vendor ?? null)}
          {row('devModel', judged?.model ?? null)}
        </dl>
        {evidence.data === undefined ? null : <Evidence of={evidence.data} />}
      </Section>
      <Section label={texts.place}>
        <dl>
          {row('devOwner')}
          {row('devGroup')}
          {row('devLocation')}
          {row('devParentMAC', null, device.devParentMAC === '' ? undefined : <Parents {...{ site, device }} />)}
          {device.devParentMAC === '' ? null : (
            <FactRow {...{ site, device, mayEdit }} field="devParentPort" label={texts.parentPort} />
          )}
          {row('devComments')}
        </dl>
      </Section>
      <Section label={texts.seen}>
        <dl>
          <Pair label={fieldLabels.devFirstConnection}>
            <Time at={device.devFirstConnection} />
          </Pair>
          <Pair label={fieldLabels.devLastConnection}>
            <LastSeen device={device} />
          </Pair>
          <Pair label={texts.seenBy}>
            <SeenBy device={device} />
          </Pair>
        </dl>
        <More device={device} />
      </Section>
      {/* On a phone what the device does comes first; the rest is one tap away. */}
      <div className="hidden max-900:grid">
        <Button look="quiet" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {isOpen ? texts.fewerFacts : texts.allFacts}
        </Button>
      </div>
    </div>
  );
}

function Section({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      className={`${styles.section} grid gap-1 min-w-0 py-3 border-t border-line last:pb-0 [&_dl]:grid [&_dl]:gap-0.5`}
      aria-label={label}
    >
      {children}
    </section>
  );
}

function Addresses({ device }: { device: OneDevice }) {
  const { devPrimaryIPv4, devPrimaryIPv6, devLastIP, devMac, devFQDN } = device;
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
        <AddressRow label={fieldLabels.devMac} text={devMac} hint={isMadeUpMac(devMac) ? texts.madeUpMac : undefined} />
      )}
      {devFQDN === '' ? null : <AddressRow label={fieldLabels.devFQDN} text={devFQDN} />}
    </>
  );
}

/** For a device that is there, now; and when it would count as gone. */
function LastSeen({ device }: { device: OneDevice }) {
  const { watch, devStatus, lastSeenAt, devMac } = device;
  if (watch.state !== 'watched' || devStatus !== 'online') return <Time at={lastSeenAt} />;
  return <span title={texts.countsAsOffline({ minutes: isMadeUpMac(devMac) ? 15 : 5 })}>{watchTexts.now}</span>;
}

function SeenBy({ device: { seenBy } }: { device: OneDevice }) {
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

function Parents({ site, device }: { site: string; device: OneDevice }) {
  const parents = useParents(site, device) ?? [
    { key: device.devParentMAC, name: device.devParentMAC, isKnown: device.devParentMAC !== 'Internet' },
  ];
  return (
    <span className="text-muted [&_a]:no-underline [&_a:hover]:underline">
      {parents.map(({ key, name, isKnown }, i) => (
        <span key={key}>
          {i === 0 ? null : <span aria-hidden="true"> ‹ </span>}
          {isKnown ? (
            <Link href={`/sites/${site}/devices/${encodeURIComponent(key)}`} title={key} data-foreign>
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

function More({ device }: { device: OneDevice }) {
  const rare = RARE.filter((field) => device[field] !== '' && device[field] !== 0);
  const extra = Object.entries(device.extra);
  if (rare.length + extra.length === 0) return null;
  return (
    <details
      className={`${styles.details} min-w-0 text-sm [&_summary:hover]:text-text [&[open]]:[&_summary]:mb-1 [&_h2]:mt-3 [&_h2]:text-sm`}
    >
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
