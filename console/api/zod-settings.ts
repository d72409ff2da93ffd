/**
 * Settings of zod, for screens that check input with the schemas of the API. It would compile its checks with
 * `new Function`, which the Content-Security-Policy refuses and reports. Read by zod when it is loaded, so this must be
 * loaded before.
 */
(globalThis as { __zod_globalConfig?: { jitless: boolean } }).__zod_globalConfig = { jitless: true };
