/** What `atelier providers add` asks an operator for, stated by each provider in its own file. */

/** One setting of an account that has no default. */
export interface SetupField {
  /** Its key in `atelier.yaml`. */
  readonly name: string;
  /** What it is, as a prompt names it. */
  readonly title: string;
  /** Where the operator finds it. */
  readonly where: string;
  /** Of a secret: the usual environment variable; else a value of the right shape. */
  readonly example: string;
  /** Whether it stands in the environment or in a file, never in `atelier.yaml`. */
  readonly isSecret: boolean;
  /** Whether it may be left out. */
  readonly isOptional: boolean;
}

/** The shortest way to an account of a provider. */
export interface Setup {
  /** In the order of the prompts; every other setting keeps its default. */
  readonly fields: readonly SetupField[];
  /** The cheapest real job: the first example of a model; absent where a job costs nothing. */
  readonly trial?: Trial;
  /** The models that are routed to it unless others are named; none where a route needs options of its own. */
  readonly models: readonly string[];
}

/** What a try costs. */
export interface Trial {
  readonly model: string;
  /** Follows `It costs`, without a full stop; by the published prices. */
  readonly cost: string;
}

/** Either may stand in place of the defaults of a field. */
type Written = Pick<SetupField, 'where' | 'example'> &
  Partial<Pick<SetupField, 'name' | 'title' | 'isOptional'>>;

/** The key of an account, `api_key` unless it has another name. */
export const secretField = (written: Written): SetupField => ({
  name: 'api_key',
  title: 'API key',
  isSecret: true,
  isOptional: false,
  ...written,
});

/** A setting that may stand in `atelier.yaml`. */
export const plainField = (written: Written & Pick<SetupField, 'name' | 'title'>): SetupField => ({
  isSecret: false,
  isOptional: false,
  ...written,
});

/** The setup of an engine on a machine of the operator: its address alone, and no routes, which need options. */
export const selfHostedSetup = (port: number): Setup => ({
  fields: [
    plainField({
      name: 'base_url',
      title: 'Address of the server',
      where: 'the machine and port that the server listens on, as this gateway reaches it',
      example: `http://10.0.0.11:${port}`,
    }),
  ],
  models: [],
});
