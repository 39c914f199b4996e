/** The pages of the navigation, with their icons and shortcut keys. */
import type { IconName } from '../components/icon.tsx';

/** In the order of the side bar. `key` goes there after `g`. */
export const pageLinks = [
  { to: '/', words: 'Home', icon: 'home', key: 'h' },
  { to: '/play', words: 'Playground', icon: 'play', key: 'p' },
  { to: '/jobs', words: 'Jobs', icon: 'jobs', key: 'j' },
  { to: '/files', words: 'Files', icon: 'files', key: 'f' },
  { to: '/callbacks', words: 'Callbacks', icon: 'callbacks', key: 'c' },
  { to: '/refusals', words: 'Request log', icon: 'log', key: 'l' },
  { to: '/usage', words: 'Usage', icon: 'usage', key: 'u' },
  { to: '/money', words: 'Money', icon: 'money', key: 'b' },
  { to: '/keys', words: 'Keys', icon: 'keys', key: 'k' },
  { to: '/providers', words: 'Providers', icon: 'providers', key: 'r' },
  { to: '/settings', words: 'Settings', icon: 'settings', key: 's' },
] as const satisfies readonly { to: string; words: string; icon: IconName; key: string }[];

/** The pages in the bottom bar of a phone. */
export const barLinks = pageLinks.slice(0, 4);
