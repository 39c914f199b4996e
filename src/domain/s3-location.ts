/** Locations of blobs in S3, as written in settings. */

/** Bucket, prefix and access of a blob store in S3. */
export interface S3Location {
  readonly bucket: string;
  /** Of every object's name: empty, or with a trailing slash. */
  readonly prefix: string;
  /** Null: that of Amazon. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Null: what the SDK finds, such as a profile or the role of an instance. */
  readonly credentials: S3Credentials | null;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The parts that an `s3://` URL contains. */
export type S3Address = Pick<S3Location, 'bucket' | 'prefix' | 'endpoint'> & {
  readonly region: string | null;
};

const parameters = ['endpoint', 'region'];

/** Parses `s3://bucket/prefix?endpoint=…&region=…`; on errors it returns all of them. */
export function parseS3Address(text: string): S3Address | { readonly faults: readonly string[] } {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') return { faults: ['must be s3://bucket/prefix?endpoint=…&region=…'] };
  const { bucket, prefix } = parseBucketAndPrefix(url);
  const [endpoint, region] = parameters.map(name => url.searchParams.get(name));
  const faults = [
    ...validateNames(url, bucket, prefix),
    ...validateParameters(url),
    ...(endpoint ? validateEndpoint(endpoint) : []),
    ...(region && !/^[A-Za-z0-9-]{1,64}$/.test(region) ? ['the region is invalid'] : []),
  ];
  if (faults.length > 0) return { faults };
  return { bucket, prefix, endpoint: endpoint?.replace(/\/+$/, '') || null, region: region || null };
}

export const s3UriOf = ({ bucket, prefix }: Pick<S3Location, 'bucket' | 'prefix'>): string =>
  `s3://${bucket}/${prefix}`;

function parseBucketAndPrefix({ hostname, pathname }: URL): { bucket: string; prefix: string } {
  const path = pathname.replace(/^\/|\/$/g, '');
  return { bucket: hostname, prefix: path === '' ? '' : `${path}/` };
}

function validateNames(url: URL, bucket: string, prefix: string): readonly string[] {
  const hasCredentials = url.username !== '' || url.password !== '';
  return [
    ...(hasCredentials
      ? ['must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY']
      : []),
    ...(url.port !== '' || url.hash !== '' ? ['must have neither a port nor a fragment'] : []),
    ...(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)
      ? []
      : ['the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens']),
    ...(/^(?:[A-Za-z0-9_.-]+\/)*$/.test(prefix) && prefix.length <= 512
      ? []
      : ['the prefix must have at most 512 letters, digits, dots, hyphens, underscores and single slashes']),
  ];
}

function validateParameters({ searchParams }: URL): readonly string[] {
  const names = [...new Set(searchParams.keys())];
  return [
    ...names.filter(name => !parameters.includes(name)).map(name => `unknown parameter ${name}`),
    ...names
      .filter(name => parameters.includes(name) && searchParams.getAll(name).length > 1)
      .map(name => `${name} must be given once`),
  ];
}

function validateEndpoint(endpoint: string): readonly string[] {
  const url = URL.parse(endpoint);
  const isPlain =
    ['http:', 'https:'].includes(url?.protocol ?? '') && !/[?#]/.test(endpoint) && !url?.username;
  return isPlain ? [] : ['the endpoint must be an http or https URL without a query'];
}
