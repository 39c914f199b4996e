/** The user and the key of everything that is run and uploaded in the console. */

/** Jobs and files of other users can be seen here, but not be used as an input. */
export const consoleUser = 'console';

/** The id of the key of that user. It has no secret: requests of the console are authenticated by the session. */
export const consoleKey = 'key_console';
