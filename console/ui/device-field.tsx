/** A field for the MAC of a device, with suggestions by name. */
import { type ReactNode, useDeferredValue } from 'react';
import { useAnswer } from '../api/queries.ts';
import { Combobox, type Suggestion } from './combobox.tsx';

interface Props {
  site: string;
  label: string;
  isLabelHidden?: boolean;
  value: string;
  hint: ReactNode;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
}

const MAX_SUGGESTIONS = 20;

export function DeviceField({ site, value, onChange, ...rest }: Props) {
  const text = useDeferredValue(value.trim());
  const isSearched = text !== '' && text.length <= 256;
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { text, limit: MAX_SUGGESTIONS } },
    { everyMs: 0, when: isSearched },
  );
  const found = (isSearched ? data?.devices : undefined) ?? [];
  const suggestions = found.flatMap((device): Suggestion[] => {
    if (!('devMAC' in device) || typeof device.devMAC !== 'string') return [];
    const { devMAC, devName } = device;
    if (devMAC === '' || devMAC === value) return [];
    return [{ value: devMAC, label: devName === '' ? devMAC : String(devName), about: devMAC }];
  });
  return (
    <Combobox
      value={value}
      onChange={(next) => onChange({ target: { value: next } })}
      suggestions={suggestions}
      {...rest}
    />
  );
}
