/** A device: its MAC, found by a part of its name. */
import { type ReactNode, useDeferredValue, useId } from 'react';
import { useAnswer } from '../api/queries.ts';
import { TextField } from './field.tsx';

interface Props {
  site: string;
  label: string;
  value: string;
  hint: ReactNode;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
}

const MAX_SUGGESTIONS = 20;

export function DeviceField({ site, value, hint, ...rest }: Props) {
  const list = useId();
  const text = useDeferredValue(value.trim());
  const isSearched = text !== '' && text.length <= 256;
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { text, limit: MAX_SUGGESTIONS } },
    { everyMs: 0, when: isSearched },
  );
  return (
    <>
      <TextField value={value} hint={hint} list={list} {...rest} />
      <datalist id={list}>
        {(isSearched ? data?.devices : undefined)?.flatMap((device) =>
          'devMAC' in device && typeof device.devMAC === 'string' && device.devMAC !== '' ? (
            <option key={device.devMAC} value={device.devMAC}>
              {device.devName}
            </option>
          ) : (
            []
          ),
        )}
      </datalist>
    </>
  );
}
