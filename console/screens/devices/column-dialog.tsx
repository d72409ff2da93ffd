/** Chooses the columns of the table. What is chosen is shown at once. */
import common from 'messages:common';
import texts from 'messages:devices';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { COLUMN_NAMES, FIXED_COLUMNS } from './column-choice.ts';
import type { ColumnName } from './columns.tsx';

interface Props {
  columns: readonly ColumnName[];
  onChange: (columns: readonly ColumnName[] | null) => void;
  onClose: () => void;
}

export function ColumnDialog({ columns, onChange, onClose }: Props) {
  return (
    <Dialog title={texts.columnsTitle} onClose={onClose}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(160px,1fr))] gap-x-4">
        {COLUMN_NAMES.map((name) => (
          <CheckField
            key={name}
            label={texts.columns[name]}
            checked={columns.includes(name)}
            disabled={FIXED_COLUMNS.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...columns, name] : columns.filter((other) => other !== name))
            }
          />
        ))}
      </div>
      <DialogActions>
        <Button onClick={() => onChange(null)}>{texts.columnsReset}</Button>
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
