// zod would compile its checks with `new Function`, which the Content-Security-Policy blocks. It reads this while it is loaded.
(globalThis as { __zod_globalConfig?: { jitless: boolean } }).__zod_globalConfig = { jitless: true };
