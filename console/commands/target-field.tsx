/** The target of a command: an address, a range or another text, with suggestions of devices by name. */
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { Combobox } from '../ui/combobox.tsx';

export interface KnownDevice {
  name: string;
  ip: string;
  mac: string;
}

interface Props {
  site: string;
  label: string;
  value: string;
  /** The value for a device; empty for no suggestion. */
  takes: (device: KnownDevice) => string;
  onChange: (value: string) => void;
  name?: string;
  hint?: ReactNode;
  placeholder?: string;
  error?: string | undefined;
  required?: boolean;
}

const MAX_SUGGESTIONS = 8;
const MAX_TEXT = 256;

export function TargetField({ site, value, takes, onChange, ...rest }: Props) {
  const mayRead = useRights().may('devices:read');
  const [isUsed, setUsed] = useState(false);
  const text = useDeferredValue(value.trim().slice(0, MAX_TEXT));
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { limit: MAX_SUGGESTIONS, sort: 'name', ...(text === '' ? {} : { text }) } },
    { everyMs: 0, when: mayRead && isUsed },
  );
  const devices = (isUsed ? data?.devices : undefined)?.flatMap((device) =>
    'devMAC' in device && typeof device.devMAC === 'string'
      ? [{ name: String(device.devName ?? ''), ip: String(device.devIP ?? ''), mac: device.devMAC }]
      : [],
  );
  const suggestions = (devices ?? [])
    .map((device) => ({ value: takes(device), label: device.name || device.ip || device.mac, about: device.ip }))
    .filter((one) => one.value !== '' && one.value !== value);
  return (
    <Combobox
      {...rest}
      maxLength={MAX_TEXT}
      value={value}
      suggestions={suggestions}
      onFocus={() => setUsed(true)}
      onChange={onChange}
    />
  );
}
