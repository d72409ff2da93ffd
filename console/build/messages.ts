/**
 * `import texts from 'messages:devices'` gives the section `devices` of `messages/`, in the language of the page.
 *
 * A build keeps the languages apart, so that a browser loads one of them. For each file behind an `import()` and each
 * language, a small module imports the messages, then the file: the browser loads both at once, and runs the messages first.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { compile, type Messages } from './icu.ts';

const CONSOLE = join(import.meta.dirname, '..');
const FOLDER = join(CONSOLE, 'messages');
/** Every page loads it first, so its messages are available to all later files. */
export const FIRST = join(CONSOLE, 'main.tsx');
/** Runs before the compiled messages, which call it. */
export const RUNTIME = join(CONSOLE, 'text/message-runtime.ts');
const LANGUAGE = join(CONSOLE, 'text/language.ts');
const IMPORT_RUNTIME = `import { keep, numberText, pluralRule } from '${RUNTIME}';`;
const IMPORT_IN_SOURCE = `import { spoken as __spoken } from '${LANGUAGE}'; import { kept as __kept } from '${RUNTIME}';`;
/** Virtual modules: kind, language, and section or file. */
const MADE = /^\0(one-language|kept|with-messages):(\w+):(.+)/;

export const languages = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => basename(file, '.json'));

const fileOf = (language: string) => join(FOLDER, `${language}.json`);

export function messagesIn(language: string): Readonly<Record<string, Messages>> {
  return JSON.parse(readFileSync(fileOf(language), 'utf8'));
}

/** The language of a chunk, by the ids of its modules; null for one that all languages share. */
export function languageOf(ids: readonly string[]): string | null {
  return ids.map((id) => MADE.exec(id)?.[2]).find((language) => language !== undefined) ?? null;
}

export function messages(): Plugin {
  let isBuild = false;
  return {
    name: 'messages',
    enforce: 'pre',
    configResolved({ command }) {
      isBuild = command === 'build';
    },
    buildStart() {
      walked.clear();
    },
    resolveId(id) {
      return id.startsWith('messages:') || MADE.test(`\0${id}`) ? `\0${id}` : null;
    },
    load(id) {
      if (id.startsWith('\0messages:')) {
        for (const language of languages) this.addWatchFile(fileOf(language));
        return sectionModule(id.slice('\0messages:'.length));
      }
      const [, kind = '', language = '', of = ''] = MADE.exec(id) ?? [];
      if (kind === 'one-language') return compiledModule(language, of);
      if (kind === 'kept') return keptModule(language, of);
      if (kind !== 'with-messages') return null;
      // A chunk of its own, because a chunk runs its imports before its own modules.
      this.emitFile({ type: 'chunk', id: `kept:${language}:${of}` });
      return fileWithMessages(language, of);
    },
    // Rolldown adds an entry chunk for each emitted one, which only imports it, and which nothing loads.
    generateBundle(_, bundle) {
      for (const [name, file] of Object.entries(bundle))
        if (file.type === 'chunk' && file.isEntry && file.moduleIds.length === 0) delete bundle[name];
    },
    transform(code, id) {
      if (!isBuild || !id.startsWith(CONSOLE) || !/\.tsx?$/.test(id)) return null;
      const changed = code
        .replaceAll(/^import (\w+) from 'messages:(\w+)';$/gm, 'const $1 = __kept.$2;')
        .replaceAll(/\bimport\('(\.[^']+)'\)/g, (whole, from: string) => {
          const file = join(dirname(id), from);
          if (sectionsOf(file).length === 0) return whole;
          const inLanguages = each((one) => `() => import(${JSON.stringify(`with-messages:${one}:${file}`)})`);
          return `(${inLanguages})[__spoken]()`;
        });
      return changed === code ? null : { code: `${IMPORT_IN_SOURCE}\n${changed}`, map: null };
    },
  };
}

/** The source of an object with a value for each language. */
function each(made: (language: string) => string): string {
  return `{ ${languages.map((language) => `${language}: ${made(language)}`).join(', ')} }`;
}

/** Outside of a build, with all languages. */
function sectionModule(section: string): string {
  const imports = languages.map((one) => `import ${one} from 'one-language:${one}:${section}';\n`).join('');
  return `${imports}import { spoken } from '${LANGUAGE}';\nexport default ${each((language) => language)}[spoken];`;
}

function compiledModule(language: string, section: string): string {
  const texts = messagesIn(language)[section];
  if (texts === undefined) throw new Error(`${fileOf(language)} has no section ${section}`);
  return `${IMPORT_RUNTIME}\nexport default ${compile(texts, section)};`;
}

function keptModule(language: string, file: string): string {
  const sections = sectionsOf(file);
  const imports = sections.map((section, i) => `import s${i} from 'one-language:${language}:${section}';\n`);
  const entries = sections.map((section, i) => `${JSON.stringify(section)}: s${i}`);
  return `${IMPORT_RUNTIME}\n${imports.join('')}keep({ ${entries.join(', ')} });`;
}

function fileWithMessages(language: string, file: string): string {
  const hasDefault = /^export default/m.test(readFileSync(file, 'utf8'));
  return `import 'kept:${language}:${file}';\nexport * from '${file}';\n${hasDefault ? `export { default } from '${file}';` : ''}`;
}

/** The results of {@link sectionsFrom} in this build. */
const walked = new Map<string, Set<string>>();

/** The sections of a file and its imports, without those that every page has. */
function sectionsOf(file: string): string[] {
  const first = file === FIRST ? new Set<string>() : sectionsFrom(FIRST);
  return [...sectionsFrom(file)].filter((section) => !first.has(section)).sort();
}

/** The browser tests open every screen in both languages, and so notice a missing section. */
function sectionsFrom(start: string): Set<string> {
  const known = walked.get(start);
  if (known !== undefined) return known;
  const sections = new Set<string>();
  walked.set(start, sections);
  const files = new Set([start]);
  for (const file of files) {
    if (!/\.tsx?$/.test(file)) continue;
    const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export|\}) (?!type )(?:.* from )?'([^']+)'/gm);
    for (const [, from = ''] of imports) {
      if (from.startsWith('messages:')) sections.add(from.slice('messages:'.length));
      else if (from.startsWith('.')) files.add(join(dirname(file), from));
    }
  }
  return sections;
}
