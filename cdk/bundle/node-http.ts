/**
 * Replaces `node:http` in the bundles. An ES module that imports it from Node.js reads all its exports, also the lazy ones:
 * `WebSocket` loads all of undici (see `fetch.ts`).
 */
const http = process.getBuiltinModule('node:http');
export const { Agent, METHODS, STATUS_CODES, request } = http;
/** For nodemailer, which fetches nothing here. */
export default http;
