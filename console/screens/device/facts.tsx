/** What is known of the device. */

import { UserRoundPen } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import type { DeviceField } from '../../../shared/device.ts';
import { useAnswer } from '../../api/queries.ts';
import { fieldLabels } from '../../text/device-fields.ts';
import { common, watchTexts } from '../../text/texts.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './device.module.css';
import { isMadeUpMac } from './history.ts';
import { texts } from './texts.ts';

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

export function Facts({ site, device }: { site: string; device: OneDevice }) {
  const row = (field: DeviceField, value?: ReactNode) => (
    <Row label={fieldLabels[field]} isByPerson={device.setByPerson.includes(field)}>
      {value ?? (device[field] === '' ? <Nothing /> : <span data-foreign>{device[field]}</span>)}
    </Row>
  );
  const { devPrimaryIPv4, devPrimaryIPv6, devLastIP, devMac, devFQDN } = device;
  return (
    <Card title={texts.facts}>
      <dl className={styles.facts}>
        {row('devLastIP', <Code text={devLastIP} />)}
        {devPrimaryIPv4 === '' || devPrimaryIPv4 === devLastIP ? null : row('devPrimaryIPv4')}
        {devPrimaryIPv6 === '' || devPrimaryIPv6 === devLastIP ? null : row('devPrimaryIPv6')}
        {row(
          'devMac',
          devMac === '' ? (
            <span className={styles.hint}>{texts.noMac}</span>
          ) : (
            <>
              <span className={styles.copyable}>
                <Code text={devMac} />
                <CopyButton label={texts.copyMac} text={devMac} />
              </span>
              {isMadeUpMac(devMac) ? <p className={styles.hint}>{texts.madeUpMac}</p> : null}
            </>
          ),
        )}
        {devFQDN === '' ? null : row('devFQDN')}
        {row('devGroup')}
        {row('devOwner')}
        {row('devLocation')}
        {row('devParentMAC', <Parent site={site} device={device} />)}
        {row('devFirstConnection', <Time at={device.devFirstConnection} />)}
        {row('devLastConnection', <LastSeen device={device} />)}
        {row('devComments')}
      </dl>
      <More device={device} />
      {device.setByPerson.length === 0 ? null : (
        <p className={styles.legend}>
          <UserRoundPen aria-hidden="true" />
          {texts.byPersonHint}
        </p>
      )}
    </Card>
  );
}

function Row({ label, isByPerson, children }: { label: string; isByPerson: boolean; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {children}
        {isByPerson ? (
          <span className={styles.mark} title={texts.byPersonHint}>
            <UserRoundPen aria-hidden="true" />
            <span className="visually-hidden"> ({texts.byPerson})</span>
          </span>
        ) : null}
      </dd>
    </>
  );
}

/** For a device that is there, now; and when it would count as gone. */
function LastSeen({ device }: { device: OneDevice }) {
  const { watch, devStatus, lastSeenAt } = device;
  if (watch.state !== 'watched' || devStatus !== 'online') return <Time at={lastSeenAt} />;
  return (
    <>
      {watchTexts.now}
      <p className={styles.hint}>{watchTexts.countsAsOffline}</p>
    </>
  );
}

function Nothing() {
  return <span className={styles.hint}>{common.none}</span>;
}

function Code({ text }: { text: string }) {
  return text === '' ? <Nothing /> : <code data-foreign>{text}</code>;
}

function Parent({ site, device }: { site: string; device: OneDevice }) {
  const key = device.devParentMAC;
  const { data } = useAnswer(
    'GET /devices/{mac}',
    { site, params: { mac: key } },
    { everyMs: 60_000, when: key !== '' },
  );
  if (key === '') return <Nothing />;
  const name = data?.devName ?? '';
  return (
    <>
      <Link href={`/sites/${site}/devices/${encodeURIComponent(key)}`} title={key} data-foreign>
        {name === '' ? key : name}
      </Link>
      {device.devParentPort === '' ? null : (
        <span data-foreign>{` (${fieldLabels.devParentPort}: ${device.devParentPort})`}</span>
      )}
    </>
  );
}

function More({ device }: { device: OneDevice }) {
  const rare = RARE.filter((field) => device[field] !== '' && device[field] !== 0);
  const extra = Object.entries(device.extra);
  if (rare.length + extra.length === 0) return null;
  return (
    <details className={styles.details}>
      <summary>{texts.more}</summary>
      <dl className={styles.facts}>
        {rare.map((field) => (
          <Row key={field} label={fieldLabels[field]} isByPerson={device.setByPerson.includes(field)}>
            <span data-foreign>{device[field]}</span>
          </Row>
        ))}
        {extra.map(([name, value]) => (
          <Row key={`extra ${name}`} label={name} isByPerson={false}>
            <span data-foreign>{value}</span>
          </Row>
        ))}
      </dl>
    </details>
  );
}
