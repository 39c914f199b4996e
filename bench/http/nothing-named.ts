/** In the place of a file: dry runs that name no medium at all. */
export const nothingNamed = 'none';
