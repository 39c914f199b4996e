/** The user of everything that is run and uploaded here: jobs and files of others belong to them. */
export const consoleUser = 'console';
