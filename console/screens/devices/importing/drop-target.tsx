/** What is shown while a file is dragged over the page. */
import styles from './import-dialog.module.css';
import { importTexts } from './texts.ts';
import { useFileDrop } from './use-file-drop.ts';

interface Props {
  onFile: (file: File) => void;
  when: boolean;
  /** Whether a file is taken now; one that is not does nothing. */
  isTaken: boolean;
}

export function DropTarget({ onFile, when, isTaken }: Props) {
  const isOver = useFileDrop(onFile, when, isTaken);
  return isOver ? <div className={styles.over}>{importTexts.drop}</div> : null;
}
