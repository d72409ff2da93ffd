/** A choice of addresses of the service, for links and commands on other hosts. */
import common from 'messages:common';
import { SelectField } from './field.tsx';

interface Props {
  addresses: readonly string[];
  value: string;
  onChange: (address: string) => void;
}

export function AddressChoice({ addresses, value, onChange }: Props) {
  if (addresses.length < 2) return null;
  return (
    <SelectField
      label={common.addresses}
      hint={common.addressesHint}
      value={addresses.includes(value) ? value : ''}
      onChange={({ target }) => onChange(target.value)}
    >
      {addresses.includes(value) ? null : <option value="" disabled hidden />}
      {addresses.map((address) => (
        <option key={address} value={address}>
          {address}
        </option>
      ))}
    </SelectField>
  );
}
