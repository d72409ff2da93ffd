/** One field of the form of a tool. */
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import type { FormField } from './form-fields.ts';
import styles from './tools.module.css';

interface FieldProps {
  field: FormField;
  label: string;
  hint: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

export function ToolField({ field, label, hint, value, error, onChange }: FieldProps) {
  const { name, kind, options, isRequired } = field;
  if (kind === 'switch') {
    return (
      <div>
        <CheckField
          label={label}
          name={name}
          checked={value === 'true'}
          onChange={({ target }) => onChange(target.checked ? 'true' : '')}
        />
        <p className={styles.hint}>{hint}</p>
      </div>
    );
  }
  const around = { label, hint, error, name, value };
  if (kind === 'choice') {
    return (
      <SelectField {...around} onChange={({ target }) => onChange(target.value)}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </SelectField>
    );
  }
  return <TextField {...around} required={isRequired} onChange={({ target }) => onChange(target.value)} />;
}
