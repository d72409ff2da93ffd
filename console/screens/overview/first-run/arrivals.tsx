/** The last devices that discovery found, live. */
import texts from 'messages:firstSteps';
import { Link } from 'wouter';
import { POLL_MS, useAnswer } from '../../../api/queries.ts';
import { calledText } from '../../../text/called.ts';
import { KindIcon } from '../../../ui/kind-icon.tsx';

const SHOWN = 12;

/** @param problem the reason that none arrives; null: no known reason */
export function Arrivals({ site, problem }: { site: string; problem: string | null }) {
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { status: 'my', fields: 'all', sort: '-firstConnection', limit: SHOWN } },
    { everyMs: POLL_MS.lively },
  );
  const devices = (data?.devices ?? []).flatMap((device) => ('devMac' in device ? [device] : []));
  if (problem !== null && devices.length === 0) {
    return (
      <p className="text-warn text-sm">
        {texts.hindered} <span data-foreign>{problem}</span>{' '}
        <Link href={`/sites/${site}/settings`}>{texts.settings}</Link>
      </p>
    );
  }
  return (
    <div className="grid gap-2 pt-3 border-t border-line">
      <p role="status" className="flex gap-3 font-[550] [&_a]:font-normal">
        {devices.length === 0 ? texts.looking : texts.found({ count: data?.total ?? devices.length })}
        {devices.length === 0 ? null : <Link href={`/sites/${site}/devices`}>{texts.all}</Link>}
      </p>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(220px,100%),1fr))] gap-2 [&_a>span]:grid [&_a>span]:min-w-0 [&_a>span]:wrap-anywhere [&_a:hover]:bg-hover [&_small]:text-muted [&_small]:[font:0.75rem_var(--mono)]">
        {devices.map((device) => (
          <li
            key={device.key}
            className="transition-[opacity,translate] duration-400 ease-out starting:opacity-0 starting:translate-y-2"
          >
            <a
              href={`#/sites/${site}/devices/${encodeURIComponent(device.key)}`}
              className="flex items-center gap-2 min-w-0 px-2 py-1.5 rounded-control bg-sunken text-text no-underline"
            >
              <KindIcon type={device.devType} />
              <span data-foreign>
                {calledText(device) || device.devMac}
                <small>{device.devLastIP}</small>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
