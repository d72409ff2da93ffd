/** Commands about the device, run on its network and watched here. */
import { useQueryClient } from '@tanstack/react-query';
import { Power, Radar, Route, SearchCheck } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { Job } from '../../../shared/api/jobs.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import type { NmapMode } from '../../../shared/tools/nmap.ts';
import type { Verified } from '../../../shared/tools/wake-on-lan.ts';
import { CommandView } from '../../commands/command-view.tsx';
import { type Command, hasEnded, useCommand } from '../../commands/use-command.ts';
import { durationText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { StatusShape } from '../../ui/status.tsx';
import styles from './device.module.css';
import { texts } from './texts.ts';

type DeviceTools = ReturnType<typeof useDeviceTools>;

export function useDeviceTools(site: string, { devMac, devLastIP, key }: OneDevice) {
  const [wake, scan, trace, resolve] = [useCommand(), useCommand(), useCommand(), useCommand()];
  const queries = useQueryClient();
  const scanned = scan.job !== null && hasEnded(scan.job) ? scan.job.id : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ports are read again when a scan has ended
  useEffect(() => {
    if (scanned !== null) void queries.invalidateQueries({ queryKey: ['GET /devices/{mac}/ports', site] });
  }, [scanned, key]);
  const startScan = (mode: NmapMode) => void scan.start('nmap', site, { scan: devLastIP, mode });
  return {
    wake,
    scan,
    trace,
    resolve,
    startWake: () => void wake.start('wakeonlan', site, { devMac, verify: true }),
    startScan,
    startTrace: () => void trace.start('traceroute', site, { devLastIP }),
    startResolve: () => void resolve.start('nslookup', site, { devLastIP }),
    /** Null when the device cannot be scanned, or is being scanned. */
    scanFast: devLastIP === '' || scan.isRunning ? null : () => startScan('fast'),
  };
}

export function RunTools({ device, tools }: { device: OneDevice; tools: DeviceTools }) {
  const [mode, setMode] = useState<NmapMode>('fast');
  const hasAddress = device.devLastIP !== '';
  const canWake = /^[0-9A-F]{2}:/.test(device.devMac);
  const { wake, scan, trace, resolve } = tools;
  return (
    <Card title={texts.run}>
      <div className={styles.actions}>
        {canWake ? (
          <Button onClick={tools.startWake} disabled={wake.isRunning} title={texts.wakeHint}>
            <Power aria-hidden="true" />
            {texts.wake}
          </Button>
        ) : null}
        {hasAddress ? (
          <>
            <Button onClick={tools.startTrace} disabled={trace.isRunning}>
              <Route aria-hidden="true" />
              {texts.trace}
            </Button>
            <Button onClick={tools.startResolve} disabled={resolve.isRunning}>
              <SearchCheck aria-hidden="true" />
              {texts.resolve}
            </Button>
            <div className={styles.scan}>
              <Button onClick={() => tools.startScan(mode)} disabled={scan.isRunning}>
                <Radar aria-hidden="true" />
                {texts.scanPorts}
              </Button>
              <SelectField
                label={texts.mode}
                isLabelHidden
                value={mode}
                onChange={({ target }) => setMode(target.value as NmapMode)}
              >
                {Object.entries(texts.modes).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </SelectField>
            </div>
          </>
        ) : null}
      </div>
      {hasAddress ? null : <p className={styles.hint}>{texts.needsAddress}</p>}
      <Running title={texts.wake} command={wake}>
        {wake.job === null ? null : <Proof job={wake.job} />}
      </Running>
      <Running title={texts.scanPorts} command={scan} />
      <Running title={texts.trace} command={trace} />
      <Running title={texts.resolve} command={resolve} />
    </Card>
  );
}

function Running({ title, command, children }: { title: string; command: Command; children?: ReactNode }) {
  if (command.job === null && !command.isRunning && command.problem === null) return null;
  return (
    <section className={styles.tool} aria-label={title}>
      <h3>{title}</h3>
      {children}
      <CommandView command={command} />
    </section>
  );
}

/** Whether the device was seen awake. That packets left says nothing about it. */
function Proof({ job }: { job: Job }) {
  if (job.tool !== 'wakeonlan' || !hasEnded(job)) return null;
  const verified = job.result?.verified;
  const wasEnded = job.state !== 'succeeded' && job.reason !== 'tool_failed';
  const absence = wasEnded ? texts.notSeenOut : texts.noProof;
  return (
    <p className={styles.proof} role="status">
      <StatusShape tone={verified === undefined ? 'warn' : 'good'} />
      <span>{verified === undefined ? absence : proofText(verified)}</span>
    </p>
  );
}

function proofText({ already, ip, afterMs }: Verified): string {
  return already ? texts.alreadyAwake(ip) : texts.proof(ip, durationText(afterMs));
}
