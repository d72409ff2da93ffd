/** The device that has the focus, beside the list: the fields of the list at once, then the rest. */
import fieldLabels from 'messages:deviceFields';
import texts from 'messages:devices';
import watchTexts from 'messages:watch';
import { ArrowUpRight, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { brandOf } from '../../../shared/called.ts';
import { useAnswer } from '../../api/queries.ts';
import { kindText } from '../../text/kind-texts.ts';
import { useActors } from '../../ui/actor.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DeviceStateLine } from '../../ui/device-state.tsx';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { DayBand } from '../../ui/sparkline.tsx';
import { Time } from '../../ui/time.tsx';
import { EventList } from '../events/event-list.tsx';
import { Latency } from './columns.tsx';
import { type Device, isSeenNow, pathOf, stateOf, titleOf } from './device.ts';
import { useScreen } from './screen.ts';
import styles from './side-panel.module.css';
import { percentOf, presenceLabel } from './use-presence.ts';
import { commandsFor, RowActions } from './verbs.tsx';

const MAX_EVENTS = 5;
const MAX_PORTS = 12;
const BAND = { width: 336, height: 20 };

export default function SidePanel({ device }: { device: Device }) {
  const screen = useScreen();
  const { site, tools, showPanel } = screen;
  const title = titleOf(device);
  const about = [brandOf(device.devVendor), device.devModel, kindText(device.devType)].filter((part) => part !== '');
  return (
    <aside className={styles.panel} aria-label={texts.panel.label({ name: title })}>
      <header className="flex items-center gap-3">
        <span className="grid flex-none place-items-center size-10 rounded-card bg-sunken text-muted [&_svg]:size-6.5">
          <KindIcon type={device.devType} />
        </span>
        <div className="flex-1 min-w-0 [&_h2]:text-lg [&_h2]:truncate [&_p]:text-muted [&_p]:text-sm [&_p]:truncate">
          <h2 data-foreign>{title || texts.nameless}</h2>
          <p data-foreign>{about.join(' · ')}</p>
        </div>
        <RowActions device={device} isShort />
        <IconButton label={texts.keys.closePanel} icon={<X />} onClick={() => showPanel(false)} />
      </header>
      <p className={`${styles.state} flex flex-wrap items-center gap-y-1 gap-x-2 -mt-2 text-sm`}>
        <DeviceStateLine {...stateOf(device)} />
        {device.devIsNew === 1 ? <Chip tone="new">{texts.isNew}</Chip> : null}
      </p>
      <div className="flex flex-wrap items-center gap-y-1 gap-x-2">
        {commandsFor(screen, device).map(({ label, icon, run }) => (
          <Button key={label} disabled={tools.run !== null} onClick={run}>
            {icon}
            {label}
          </Button>
        ))}
        <Link
          href={pathOf(site, device)}
          className="inline-flex items-center gap-1 min-h-control ms-auto text-sm font-medium no-underline [&_svg]:size-3.5"
        >
          {texts.panel.toPage}
          <ArrowUpRight aria-hidden="true" />
        </Link>
      </div>
      <LastDay device={device} />
      <Facts device={device} />
      <Ports device={device} />
      <Events device={device} />
    </aside>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-2 [&>h3]:text-muted [&>h3]:text-xs [&>h3]:font-medium" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function LastDay({ device: { key } }: { device: Device }) {
  const { site } = useScreen();
  const { data } = useAnswer('GET /devices/presence', { site, query: { devices: key } });
  const slots = data?.devices[key];
  const percent = slots === undefined ? null : percentOf(slots);
  return (
    <Part title={texts.panel.presence}>
      <div className="h-5 [&_svg]:w-full">
        {slots === undefined ? null : <DayBand slots={slots} label={presenceLabel(percent)} {...BAND} />}
      </div>
      <p className="flex flex-wrap items-center gap-y-1 gap-x-2 justify-between min-h-4.5 text-muted text-xs">
        <span>
          {slots === undefined ? '' : percent === null ? texts.presenceUnknown : texts.presenceShort({ percent })}
        </span>
        <Latency of={data?.latency[key] ?? null} />
      </p>
    </Part>
  );
}

function Facts({ device }: { device: Device }) {
  const { parents } = useScreen();
  const { devLastIP, devMac, devParentMAC } = device;
  const facts: [label: string, value: ReactNode][] = [
    [fieldLabels.devLastIP, devLastIP && <Code text={devLastIP} label={texts.actions.copyIp} />],
    [fieldLabels.devMac, devMac && <Code text={devMac} label={texts.actions.copyMac} />],
    [fieldLabels.devFQDN, device.devFQDN],
    [fieldLabels.devVendor, device.devVendor],
    [fieldLabels.devGroup, device.devGroup],
    [fieldLabels.devLocation, device.devLocation],
    [fieldLabels.devOwner, device.devOwner],
    [fieldLabels.devParentMAC, parents.get(devParentMAC) ?? devParentMAC],
    [fieldLabels.devFirstConnection, device.devFirstConnection && <Time at={device.devFirstConnection} />],
    [
      fieldLabels.devLastConnection,
      isSeenNow(device) ? watchTexts.now : device.devLastConnection && <Time at={device.devLastConnection} />,
    ],
    [fieldLabels.devComments, device.devComments],
  ];
  return (
    <Part title={texts.panel.facts}>
      <dl className={`${styles.facts} grid gap-0.5 text-sm`}>
        {facts.map(([label, value]) =>
          value === '' ? null : (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </Part>
  );
}

function Code({ text, label }: { text: string; label: string }) {
  return (
    <>
      <code>{text}</code>
      <CopyButton label={label} text={text} />
    </>
  );
}

function Ports({ device: { key } }: { device: Device }) {
  const { site } = useScreen();
  const { data } = useAnswer('GET /devices/{mac}/ports', { site, params: { mac: key } });
  const ports = data?.ports ?? [];
  const { panel } = texts;
  return (
    <Part title={panel.ports}>
      {data === undefined ? null : ports.length === 0 ? (
        <p className="text-muted text-sm">{data.scannedAt === null ? panel.neverScanned : panel.noneOpen}</p>
      ) : (
        <ul className="flex flex-wrap items-center gap-1">
          {ports.slice(0, MAX_PORTS).map(({ port, protocol, service, new: isNew }) => (
            <li key={`${port}/${protocol}`}>
              <Chip tone={isNew ? 'new' : undefined}>
                <code>{port}</code>
                {protocol === 'tcp' ? '' : `/${protocol}`} {service ?? ''}
              </Chip>
            </li>
          ))}
          {ports.length > MAX_PORTS ? (
            <li className="text-muted text-sm">{panel.morePorts({ count: ports.length - MAX_PORTS })}</li>
          ) : null}
        </ul>
      )}
    </Part>
  );
}

function Events({ device: { key } }: { device: Device }) {
  const { site } = useScreen();
  const { data } = useAnswer('GET /devices/{mac}/events', { site, params: { mac: key }, query: { limit: MAX_EVENTS } });
  const actors = useActors(site);
  const events = data?.events ?? [];
  return (
    <Part title={texts.panel.changes}>
      {data !== undefined && events.length === 0 ? <p className="text-muted text-sm">{texts.panel.noChanges}</p> : null}
      <EventList
        entries={events.map((event) => ({ site, event }))}
        actors={actors}
        siteNames={null}
        newCount={0}
        isOfOneDevice
      />
    </Part>
  );
}
