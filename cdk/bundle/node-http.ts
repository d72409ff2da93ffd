/**
 * Replaces `node:http` in the bundles. An ES module that imports it from Node.js reads all its exports, also the lazy ones:
 * `WebSocket` loads all of undici (see `fetch.ts`).
 */
export const { Agent, METHODS, STATUS_CODES, request } = process.getBuiltinModule('node:http');
