/** The programs of the host that the tests of the console use, with their Debian packages. */
export const BROWSER_PROGRAMS = ['chromium'];
/** Fonts: without any, a browser draws boxes. */
export const BROWSER_PACKAGES = ['chromium', 'fonts-dejavu-core'];
