import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** With traceroute and ip; the PATH of an ordinary user may lack them. */
const SYSTEM_DIRECTORIES = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/bin', '/bin'];

/** The full path of a program, or null. @param path as the variable PATH; the system's directories are always searched too */
export function findProgram(name: string, path: string): string | null {
  const directories = [...path.split(delimiter).filter((directory) => directory !== ''), ...SYSTEM_DIRECTORIES];
  for (const directory of directories) {
    const file = join(directory, name);
    if (isProgram(file)) return file;
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
