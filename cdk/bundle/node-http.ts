/**
 * Replaces `node:http` in the bundles. An ES module that imports it from Node.js reads all its exports, also those that
 * Node.js makes on first use: one of them is `WebSocket`, with which all of undici is loaded (see `fetch.ts`).
 */
export const { Agent, METHODS, STATUS_CODES, request } = process.getBuiltinModule('node:http');
