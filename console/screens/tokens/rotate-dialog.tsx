/** Gives a token another secret, and the old one an end. */
import texts from 'messages:tokens';
import type { Token } from '../../../shared/api/records.ts';
import { ask } from '../../api/client.ts';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import type { MadeToken } from './token-form.tsx';

interface Props {
  token: Token;
  onMade: (made: MadeToken) => void;
  onClose: () => void;
}

type Overlap = keyof typeof texts.overlaps;

export function RotateDialog({ token: { id, name }, onMade, onClose }: Props) {
  const form = useForm({
    first: { overlapHours: '0' as Overlap },
    body: ({ overlapHours }) => ({ overlapHours: Number(overlapHours) }),
    send: (body) => ask('POST /tokens/{id}/rotate', { params: { id }, body }),
    onDone: onMade,
  });
  return (
    <FormDialog form={form} title={texts.rotateTitle({ name })} submit={texts.rotateSubmit} onClose={onClose}>
      <p>{texts.rotateWhat}</p>
      <SelectField label={texts.overlap} {...form.text('overlapHours')}>
        {Object.entries(texts.overlaps).map(([hours, text]) => (
          <option key={hours} value={hours}>
            {text}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}
