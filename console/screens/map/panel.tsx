/** Beside the drawing: the chosen device, and the devices that depend on it. Below it: the legend. */
import common from 'messages:common';
import texts from 'messages:map';
import statusTexts from 'messages:status';
import { ArrowUpRight, Move, Unplug, X } from 'lucide-react';
import { Button, IconButton, LinkButton } from '../../ui/button.tsx';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { Status, StatusShape } from '../../ui/status.tsx';
import { addressOf, portText, TONES } from './naming.ts';
import { INTERNET, type TopologyDevice, titleOf } from './tree.ts';

const SHOWN = ['online', 'down', 'offline'] as const;
/** Named devices that depend on the chosen one. */
const MAX_NAMED = 8;

export function Legend({ devices, hasHint }: { devices: readonly TopologyDevice[]; hasHint: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-y-1 gap-x-4 text-muted text-sm [&_span]:inline-flex [&_span]:items-center [&_span]:gap-1.5 [&_svg]:size-2.25">
      <p className="flex-[1_1_280px]">{hasHint ? texts.hint : ''}</p>
      {SHOWN.map((status) => (
        <span key={status} data-status={status}>
          <StatusShape tone={TONES[status]} />
          {texts.inStatus({
            count: devices.filter((one) => one.status === status).length,
            status: statusTexts[status],
          })}
        </span>
      ))}
    </div>
  );
}

interface Props {
  site: string;
  devices: readonly TopologyDevice[];
  device: TopologyDevice;
  falling: readonly TopologyDevice[];
  /** Null: nothing can be moved. */
  onMove: (() => void) | null;
  onClose: () => void;
}

export function Panel({ site, devices, device, falling, onMove, onClose }: Props) {
  const { key, status, parent } = device;
  const above = devices.find((one) => one.key === parent);
  const parentName = above !== undefined ? titleOf(above) : parent === INTERNET ? texts.internet : '';
  const place = parentName === '' ? texts.withoutParent : texts.connectedTo({ parent: parentName });
  const addresses = [addressOf(device), key === titleOf(device) || key.startsWith('~') ? '' : key];
  return (
    <aside
      className="card flex flex-none flex-col gap-3.5 w-66 p-4 overflow-y-auto max-900:w-auto max-900:max-h-80"
      aria-label={texts.panel}
    >
      <header className="flex items-center gap-3">
        <span className="grid flex-none place-items-center size-9 rounded-card bg-sunken text-muted [&_svg]:size-5.5">
          <KindIcon type={device.type} />
        </span>
        <div className="flex-1 min-w-0">
          <h2 className="text-lg truncate" title={titleOf(device)} data-foreign>
            {titleOf(device)}
          </h2>
          <Status tone={TONES[status]}>{statusTexts[status]}</Status>
        </div>
        <IconButton label={texts.closePanel} icon={<X />} className="self-start" onClick={onClose} />
      </header>
      <div className="grid gap-1 text-sm">
        {addresses.map((address) =>
          address === '' ? null : (
            <p key={address} className="font-mono text-xs break-all" data-foreign>
              {address}
            </p>
          ),
        )}
        <p data-foreign>{[place, portText(device)].filter((part) => part !== '').join(', ')}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        <LinkButton to={`/sites/${site}/devices/${encodeURIComponent(key)}`}>
          {texts.openDevice}
          <ArrowUpRight aria-hidden="true" />
        </LinkButton>
        {onMove === null || key === INTERNET ? null : (
          <Button onClick={onMove} icon={<Move />}>
            {texts.moveIt}
          </Button>
        )}
      </div>
      <p
        className="flex items-start gap-2 px-2.5 py-2 rounded-control bg-sunken text-sm data-any:bg-warn-soft data-any:font-medium [&_svg]:flex-none [&_svg]:size-4 [&_svg]:mt-0.5"
        data-any={falling.length > 0 || undefined}
        role="status"
      >
        <Unplug aria-hidden="true" />
        {texts.falls({ count: falling.length })}
      </p>
      {falling.length === 0 ? null : (
        <ul className="grid gap-1 text-muted text-sm [&_li]:truncate" aria-label={texts.ifItFails}>
          {falling.slice(0, MAX_NAMED).map((one) => (
            <li key={one.key} data-foreign>
              {titleOf(one)}
            </li>
          ))}
          {falling.length > MAX_NAMED ? <li>{common.andMore({ count: falling.length - MAX_NAMED })}</li> : null}
        </ul>
      )}
    </aside>
  );
}
