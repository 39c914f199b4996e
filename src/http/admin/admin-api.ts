/** Why the routes of the admin API are not in `/openapi.json`. */

/** Why the routes of the admin API are not in the published protocol. */
export const adminApi = 'the admin API belongs to the console of the same version and may change with it';
