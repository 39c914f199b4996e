/** The argument for dry runs that name no medium, in place of a file id. */
export const noMedium = 'none';
