/** What every reader of CSV files has to know, beside RFC 4180. */

/** A row ends at each of them, in one file too: files are put together of parts, and appended to by other systems. */
export const ROW_ENDS = ['\r\n', '\n', '\r'];

/**
 * The line by which spreadsheets say what stands between the cells, such as `sep=;`. It is no row. One that was saved again
 * has quotes around it, or empty cells behind it.
 */
export const SEPARATOR_LINE = /^"?sep=([\t!#-/:-@[-^`{-~])"?[,;\t]*(?:\r\n|\n|\r|$)/i;
