/** The module `node:http`, loaded without all that it can do. */

/** An `import` of it would read each of its members, and so load its WebSocket and fetch: 25 ms of every start. */
export const builtInHttp: typeof import('node:http') = process.getBuiltinModule('node:http');
