/** The names of device kinds. The value of devType stays the English word, which other systems know. */
import labels from 'messages:kinds';
import { kindOfType } from '../../shared/recognition/kind-table.ts';

/** The word for a value of devType; a custom type stays as it is. */
export function kindText(type: string): string {
  const kind = kindOfType(type);
  return kind === null ? type : labels[kind];
}
