/** One field of the form of a tool. */
import { type KnownDevice, TargetField } from '../../commands/target-field.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Options } from '../../ui/options.tsx';
import type { FormField, ToolForm } from './form-fields.ts';
import { hintOf, labelIn, optionText } from './tool-texts.ts';

interface FieldProps {
  site: string;
  form: ToolForm;
  field: FormField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

export function ToolField({ site, form, field, value, error, onChange }: FieldProps) {
  const { name, kind, options, isRequired } = field;
  const label = labelIn(form, field);
  const hint = hintOf(form, field);
  if (kind === 'switch') {
    return (
      <CheckField
        label={label}
        hint={hint}
        name={name}
        checked={value === 'true'}
        onChange={({ target }) => onChange(target.checked ? 'true' : '')}
      />
    );
  }
  const around = { label, hint, error, name, value };
  if (kind === 'choice') {
    return (
      <SelectField {...around} onChange={({ target }) => onChange(target.value)}>
        <Options of={options.map((one) => [one, optionText(one)])} />
      </SelectField>
    );
  }
  if (kind === 'text') {
    return <TextField {...around} required={isRequired} onChange={({ target }) => onChange(target.value)} />;
  }
  const takes = kind === 'device' ? ({ mac }: KnownDevice) => mac : ({ ip }: KnownDevice) => ip;
  return <TargetField {...around} {...{ site, takes, onChange }} required={isRequired} />;
}
