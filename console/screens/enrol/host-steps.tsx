/** The steps on the host: install the agent, and run the line. */
import texts from 'messages:enrol';
import { useState } from 'react';
import { enrolLine, installLine, packageLine, shellWord } from '../../../shared/install-line.ts';
import { addressesToOffer, isLoopback } from '../../api/base-address.ts';
import { BASE_URL } from '../../api/session.ts';
import { parseTime } from '../../text/format.ts';
import { AddressChoice } from '../../ui/address-choice.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { TextField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Moment, useNow } from '../../ui/time.tsx';
import { parseApiUrl } from './api-url.ts';
import type { EnrolmentCode } from './codes.ts';

type Way = keyof typeof texts.ways;

/** @param made null if the page was reloaded since */
export function HostSteps({ site, made }: { site: string; made: EnrolmentCode | null }) {
  const now = useNow();
  const isExpired = made !== null && (parseTime(made.expiresAt)?.getTime() ?? 0) <= now;
  if (made === null || isExpired) {
    return (
      <Card>
        <p>{isExpired ? texts.expired : texts.notKept}</p>
        <div>
          <LinkButton to={`/sites/${site}/agents/new`}>{texts.newLine}</LinkButton>
        </div>
      </Card>
    );
  }
  return <LineCard made={made} uses={1} />;
}

/** If the service offers no agent to download. */
function InstallCard() {
  return (
    <Card title={texts.install}>
      <dl className="grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-y-1 gap-x-5 max-700:grid-cols-1 [&_code]:wrap-anywhere max-700:[&_dd]:mb-2">
        <dt>{texts.debian}</dt>
        <dd>
          <code>{texts.debianLine}</code>
        </dd>
        <dt>{texts.npm}</dt>
        <dd>
          <code>{texts.npmLine}</code>
        </dd>
      </dl>
      <p className="text-muted">{texts.installHow}</p>
    </Card>
  );
}

interface LineProps {
  made: Pick<EnrolmentCode, 'code' | 'expiresAt' | 'addresses' | 'version'>;
  /** Number of hosts. */
  uses: number;
}

export function LineCard({ made, uses }: LineProps) {
  const offered = addressesToOffer(BASE_URL, made.addresses);
  const [address, setAddress] = useState(offered[0]);
  const [way, setWay] = useState<Way>('linux');
  const url = parseApiUrl(address);
  const { code, version } = made;
  return (
    <>
      {version === null ? <InstallCard /> : null}
      <Card title={version === null ? texts.run : texts.installAndRun}>
        {version === null ? null : <Tabs label={texts.way} tabs={texts.ways} value={way} onChange={setWay} />}
        {url === null
          ? null
          : (version === null ? [enrolLine(code, url)] : linesOf(way, { code, url, version })).map((text, i) => (
              <CopyLine key={text} label={i === 0 ? texts.line : texts.nextLine({ number: i + 1 })} text={text} />
            ))}
        {version === null ? null : <p className="text-muted">{texts.wayHints[way]}</p>}
        <p>
          {texts.works({ uses })} <Moment at={made.expiresAt} />.
        </p>
        <div className="grid gap-4 max-w-130">
          <AddressChoice addresses={offered} value={address} onChange={setAddress} />
          <TextField
            label={texts.address}
            hint={url !== null && isLoopback(url) ? texts.loopback({ url }) : undefined}
            error={url === null ? texts.addressError : null}
            inputMode="url"
            autoCapitalize="none"
            value={address}
            onChange={({ target }) => setAddress(target.value)}
          />
        </div>
      </Card>
    </>
  );
}

/** @param version of the agent that the service offers */
function linesOf(way: Way, { code, url, version }: { code: string; url: string; version: string }): string[] {
  if (way === 'linux' || way === 'proxmox') return [installLine(code, url)];
  if (way === 'npm') {
    const tarball = `lanreach-agent-${version}.tgz`;
    const install = `npm install --global ./${shellWord(tarball)}`;
    return [packageLine(code, url, tarball), install, enrolLine(code, url), 'lanreach-agent run'];
  }
  const volume = '--volume lanreach-agent:/var/lib/lanreach-agent lanreach-agent';
  return [
    'podman build --file scripts/packaging/Containerfile --tag lanreach-agent .',
    `podman run --rm --network host ${volume}${enrolLine(code, url).replace(/^lanreach-agent/, '')}`,
    `podman run --detach --name lanreach-agent --restart always --network host --cap-add NET_RAW ${volume}`,
  ];
}
