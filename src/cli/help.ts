/** The help of `atelier`: its commands in groups, with examples. */
import type { Command } from 'commander';

/** Each command stands in one group, in the order in which a new user needs them. */
const groups: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ['Create jobs:', ['run', 'again', 'jobs', 'job', 'watch', 'result', 'cancel', 'models', 'files']],
  ['Start and set up:', ['serve', 'open', 'setup-link', 'doctor', 'providers', 'config', 'keys']],
  ['Use another gateway:', ['login', 'logout', 'whoami', 'profile']],
  ['Callbacks (webhooks):', ['listen', 'callbacks']],
  ['Operate:', ['queue', 'usage', 'uncertain', 'projects', 'tags', 'money', 'audit', 'backup', 'migrate']],
  ['Programs and shells:', ['client', 'mcp', 'completion']],
];

const examples = `
Examples:
  atelier serve                                        run a gateway here (npm start does this, too)
  atelier open                                         its console, in a browser
  atelier run gamma-v3-image prompt='A red balloon' --save
  atelier run epsilon-q2-turbo-img2video -f images=@portrait.png prompt='She smiles' --save
  atelier providers add fal                            connect an upstream
  atelier listen --forward-to http://localhost:3000/hooks

Every command has its own help: atelier run --help. All of them: docs/cli.md`;

/** Examples of single commands, by the words that name them. */
const examplesOf: Readonly<Record<string, readonly string[]>> = {
  run: [
    "atelier run gamma-v3-image prompt='A red balloon over a lake' aspect_ratio=1:1 --save",
    'atelier run epsilon-q2-turbo-img2video -f images=@portrait.png --no-wait',
    'atelier models show eta2.6-t2v --example | atelier run eta2.6-t2v --json @- --save=films',
  ],
  again: ['atelier again REQUEST_ID seed=7 --save'],
  jobs: ['atelier jobs --status failed --since 2h'],
  login: ['atelier login --url https://gateway.example.com --profile work'],
  listen: ['atelier listen --forward-to http://localhost:3000/hooks --model gamma-v3-image'],
  'keys create': ["atelier keys create --user shop --name 'the shop window' --expires 90d"],
  'providers add': [
    'atelier providers add fal',
    'atelier providers add comfyui --set base_url=http://10.0.0.11:8188 --yes',
  ],
  'config check': ['atelier config check --online'],
  serve: ['ATELIER_PORT=9000 atelier serve', 'atelier serve --role worker'],
};

/** Called once every command is registered. */
export function arrangeHelp(program: Command): void {
  const headingOf = new Map(
    groups.flatMap(([heading, names]) => names.map(name => [name, heading] as const)),
  );
  for (const command of program.commands) {
    const heading = headingOf.get(command.name());
    if (heading !== undefined) command.helpGroup(heading);
  }
  const order = groups.flatMap(([, names]) => names);
  const placeOf = (command: Command) => order.indexOf(command.name());
  program.configureHelp({
    visibleCommands: shown => shown.commands.toSorted((a, b) => placeOf(a) - placeOf(b)),
    // In the order of what is shown; by itself commander takes that of the registration.
    groupItems: (_registered, shown, groupOf) => Map.groupBy(shown, groupOf),
  });
  program.addHelpText('after', examples);
}

/** For a program of which only some commands are registered, too. */
export function addExamples(program: Command): void {
  for (const [words, lines] of Object.entries(examplesOf)) {
    let command: Command | undefined = program;
    for (const word of words.split(' ')) command = command?.commands.find(one => one.name() === word);
    command?.addHelpText(
      'after',
      `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n  ${lines.join('\n  ')}`,
    );
  }
}
