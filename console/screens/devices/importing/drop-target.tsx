/** What is shown while a file is dragged over the page. */
import { texts } from '../../../text/texts.ts';
import styles from './import-dialog.module.css';
import { useFileDrop } from './use-file-drop.ts';

export function DropTarget({ onFile, when }: { onFile: (file: File) => void; when: boolean }) {
  const isOver = useFileDrop(onFile, when);
  return isOver ? <div className={styles.over}>{texts.importing.drop}</div> : null;
}
