/** Commands about the device, which run on its network. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import type { Scanning } from '../../../shared/tools/nmap.ts';
import { canScan, canWake, DEVICE_COMMANDS } from '../../commands/device-commands.ts';
import { hasEnded, useCommand } from '../../commands/use-command.ts';

export type DeviceTools = ReturnType<typeof useDeviceTools>;

export function useDeviceTools(site: string, device: OneDevice) {
  const [wake, scan, trace, resolve] = [useCommand(), useCommand(), useCommand(), useCommand()];
  const queries = useQueryClient();
  const states = [wake, scan, trace, resolve].map(({ job }) => job && `${job.id} ${hasEnded(job)}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: ports and jobs are refetched when a command starts or ends
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['GET /devices/{mac}/ports', site] });
    void queries.invalidateQueries({ queryKey: ['pages', 'GET /jobs'] });
  }, [states]);
  return {
    canWake: canWake(device),
    hasAddress: canScan(device),
    wake,
    scan,
    trace,
    resolve,
    startWake: () => void wake.start('wakeonlan', site, DEVICE_COMMANDS.wake.fieldsOf(device)),
    startScan: (how: Scanning) => void scan.start('nmap', site, { ...DEVICE_COMMANDS.scan.fieldsOf(device), ...how }),
    startTrace: () => void trace.start('traceroute', site, DEVICE_COMMANDS.trace.fieldsOf(device)),
    startResolve: () => void resolve.start('nslookup', site, { devLastIP: device.devLastIP }),
  };
}
