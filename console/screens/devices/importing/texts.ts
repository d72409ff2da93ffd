/** The texts of import and export. */
import { numberText, plural } from '../../../text/format.ts';
import { inLanguage } from '../../../text/language.ts';
import { importTexts as german } from './texts.de.ts';

const english = {
  import: 'Import',
  export: 'Export',
  title: 'Import devices',
  file: 'CSV file',
  hint: 'A CSV file with a header, such as an export of LanReach or NetAlertX. You can also drop it anywhere on the page.',
  choose: 'Choose a file',
  chooseOther: 'Another file',
  drop: 'Drop the CSV file: what it would change is shown first',
  mode: 'What happens to the other devices',
  modes: {
    merge: 'Add and update: devices that the file does not name stay',
    replace: 'Replace: devices that the file does not name are deleted, once every line can be read',
  },
  replaceNevertheless: 'Replace nevertheless: devices on the skipped lines may be deleted',
  reading: 'Reading the file …',
  added: 'New',
  updated: 'Updated',
  deleted: 'Deleted',
  skipped: 'Lines skipped',
  adjusted: 'Lines adjusted',
  skippedLines: 'Skipped lines',
  adjustedLines: 'Adjusted lines',
  line: (line: number) => `Line ${numberText(line)}`,
  moreLines: (count: number) => `and ${numberText(count)} more`,
  ignoredColumns: 'Columns that cannot be kept:',
  importNow: ({ inserted, deleted }: { inserted: number; deleted: number }) =>
    deleted === 0
      ? `Import ${plural(inserted, 'device')}`
      : `Import ${numberText(inserted)} and delete ${numberText(deleted)}`,
  importing: 'Importing …',
  done: ({ inserted, deleted }: { inserted: number; deleted: number }) =>
    deleted === 0
      ? `${plural(inserted, 'device')} imported`
      : `${plural(inserted, 'device')} imported, ${numberText(deleted)} deleted`,
  exportTitle: 'Export devices',
  exportAll:
    'Every field and extra column of all devices of the site: a copy without loss, which can be imported again.',
  exportAllNow: 'Save everything',
  exportShort: 'Name, MAC, IP address, type, favourite and status: for a look in a spreadsheet.',
  exportShortNow: 'Save the short list',
};

export const importTexts = inLanguage(english, german);
