/**
 * Searches and lists of the operator over a million jobs: by words of the prompt, by each filter, in each order, and far
 * back. In this process, without HTTP; the job rows are read, as for a page of the console.
 */
import { promptsOf } from '../../src/catalog/prompt-of.ts';
import { days } from '../../src/domain/clock.ts';
import { searchWords } from '../../src/domain/search-words.ts';
import { everyJob, type JobFilter, type JobOrder, searchJobs } from '../../src/store/jobs/search.ts';
import type { Dialect } from '../../testkit/databases/databases.ts';
import { figure, machine, percentile, printRow, printTitles, spread } from '../../testkit/figures.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';
import { readFlags } from '../kit/flags.ts';
import { reportFigure } from '../kit/goals.ts';
import { commonWord, frequentWord, openSearchedJobs, rareWord } from './searched-jobs.ts';

const { rounds, jobs, databases } = readFlags({ rounds: 7, jobs: 1_000_000 });
const pageSize = 50;
const nameWidth = 52;

interface Search {
  readonly name: string;
  readonly filter: Partial<JobFilter>;
  readonly order?: JobOrder;
  /** Whether its slowest median is the figure of the goal. */
  readonly isByWords?: true;
}

const words = (text: string): Partial<JobFilter> => ({
  words: { wanted: searchWords(text), textOf: promptsOf },
});
const ago = (count: number) => Date.now() - count * days;

const searches: readonly Search[] = [
  { name: 'words: rare', filter: words(rareWord), isByWords: true },
  { name: 'words: common', filter: words(commonWord), isByWords: true },
  { name: 'words: frequent', filter: words(frequentWord), isByWords: true },
  { name: 'words: frequent and rare', filter: words(`${frequentWord} ${rareWord}`), isByWords: true },
  { name: 'words: none has it', filter: words('qqqqqq'), isByWords: true },
  { name: 'words: beginning of five letters', filter: words(commonWord.slice(0, 5)), isByWords: true },
  {
    name: 'words: common, and failed',
    filter: { ...words(commonWord), states: ['failed'] },
    isByWords: true,
  },
  {
    name: 'words: common, of a week a month ago',
    filter: { ...words(commonWord), since: ago(28), until: ago(21) },
    isByWords: true,
  },
  { name: 'words: common, the oldest', filter: words(commonWord), order: 'oldest', isByWords: true },
  { name: 'words: common, the longest', filter: words(commonWord), order: 'longest', isByWords: true },
  { name: 'words: frequent, the dearest', filter: words(frequentWord), order: 'dearest', isByWords: true },
  {
    name: 'words: frequent, with a rare error',
    filter: { ...words(frequentWord), errorCode: 'internal_error' },
    isByWords: true,
  },
  { name: 'newest', filter: {} },
  { name: 'oldest', filter: {}, order: 'oldest' },
  { name: 'longest', filter: {}, order: 'longest' },
  { name: 'dearest, of a user', filter: { userName: 'user-7' }, order: 'dearest' },
  { name: 'of a model', filter: { modelIds: ['gamma-v3-image'] } },
  { name: 'with a tag', filter: { tag: { name: 'team', value: 'team-7' } } },
  { name: 'with a rare tag, of all', filter: { tag: { name: 'team', value: 'rare' } } },
  { name: 'with a rare error, of all', filter: { errorCode: 'internal_error' } },
  {
    name: 'running longer than 119 s, of a day',
    filter: { minRunMs: 119_000, since: ago(11), until: ago(10) },
  },
];

console.log(machine());
console.log(
  `${figure(jobs)} jobs, pages of ${pageSize}, ${rounds} rounds; medians (least–most), in milliseconds\n`,
);
if (databases.includes('postgres')) await globalSetup();
try {
  const columns = [];
  for (const dialect of databases) columns.push(await measure(dialect));
  printTitles('', [...databases], nameWidth);
  for (const [index, { name }] of searches.entries())
    printRow(
      name,
      columns.map(({ times }) => spread(times[index]!, 1)),
      nameWidth,
    );
  printRow(
    'index, processor time a job, in microseconds',
    columns.map(({ indexMicros }) => figure(indexMicros)),
    nameWidth,
  );
  printRow(
    'longest time without a turn of the event loop',
    columns.map(({ longest }) => figure(longest)),
    nameWidth,
  );
  const medians = columns.flatMap(({ times }) =>
    searches.flatMap(({ isByWords }, index) => (isByWords ? [percentile(times[index]!, 50)] : [])),
  );
  if (jobs >= 1_000_000 && databases.length === 2) reportFigure('jobSearch', Math.max(...medians));
} finally {
  await globalTeardown();
}

/** The times of each search on one database. Rounds go through all searches, so that a busy moment affects all. */
async function measure(dialect: Dialect) {
  const { db, indexMicros, close } = await openSearchedJobs(dialect, jobs);
  const times: number[][] = searches.map(() => []);
  let [longest, last] = [0, performance.now()];
  const ticks = setInterval(() => {
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last), now];
  }, 1);
  try {
    // The first round prepares the statements.
    for (let round = 0; round <= rounds; round++)
      for (const [index, { filter, order = 'newest' }] of searches.entries()) {
        const startedAt = performance.now();
        await searchJobs(db, { ...everyJob, ...filter }, { after: null, limit: pageSize, order });
        if (round > 0) times[index]!.push(performance.now() - startedAt);
      }
  } finally {
    clearInterval(ticks);
    await close();
  }
  return { times, indexMicros, longest };
}
