/** The icons of the console, as paths of 24 × 24. */

/** Outlines in a square of 24 units, drawn by a stroke of the text's colour. */
const paths = {
  home: 'M4 11.5 12 5l8 6.5V20h-5.5v-5h-5v5H4z',
  play: 'M5 4h14v16H5zM10.5 9v6l5-3z',
  jobs: 'M4 6h16M4 12h16M4 18h10',
  models: 'M12 3.5 20 8v8l-8 4.5L4 16V8zM4 8l8 4.5L20 8M12 12.5v8',
  files: 'M6 3.5h8l4.5 4.5v12.500h-12.500zM14 3.500v5h4.500',
  keys: 'M14.500 9.500a4 4 0 1 0-3.200 3.900L13 15h2v2h2v2h3v-3l-5.700-5.300',
  usage: 'M5 20v-7M12 20V5M19 20v-10',
  money:
    'M3.500 6.500h17v11h-17zM12 14.500a2.500 2.500 0 1 1 0-5 2.500 2.500 0 0 1 0 5zM6.500 12h.01M17.500 12h.01',
  callbacks: 'M4 12a8 8 0 0 1 14-5.300M20 4v4h-4M20 12a8 8 0 0 1-14 5.300M4 20v-4h4',
  providers: 'M4 5h16v5H4zM4 14h16v5H4zM7.500 7.500h.01M7.500 16.500h.01',
  settings: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4',
  find: 'M10.500 17a6.500 6.500 0 1 1 0-13 6.500 6.500 0 0 1 0 13zM15.500 15.500 20.500 20.500',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  check: 'M5 12.500 10 17.500 19 7',
  cross: 'M6 6l12 12M18 6 6 18',
  clock: 'M12 20a8 8 0 1 1 0-16 8 8 0 0 1 0 16zM12 8v4.500l3 1.500',
  stop: 'M7 7h10v10H7z',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  log: 'M5 4h14v16H5zM8.500 8.500h7M8.500 12h7M8.500 15.500h4',
  video: 'M3.500 6h12v12h-12zM15.500 10.500 20.500 8v8l-5-2.500',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9h.01',
  speech: 'M6 10v4M10 6v12M14 8v8M18 10v4',
  leave: 'M14 4H5v16h9M10 12h10M16.500 8.500 20 12l-3.500 3.500',
} as const;

/** Of pages, states and kinds of models. */
export type IconName = keyof typeof paths;

/** Decorative: it always stands beside a label, so screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width="18"
      height="18"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
