/** Faults of settings without their lines and columns, which test/cli/config-faults.test.ts looks at. */
export const withoutPlaces = (text: string): string => text.replace(/ \(line \d+, column \d+\)$/gm, '');
