/** The part of s3rver that the test server uses: the package has no types of its own. */
declare module 's3rver' {
  import type { AddressInfo } from 'node:net';

  interface Listed {
    readonly key: string;
    readonly size: number;
    readonly lastModifiedDate: Date;
  }

  interface Store {
    getResourcePath(bucket: string, key: string | undefined, resource: string): string;
    listObjects(
      bucket: string,
      options: {
        readonly prefix?: string;
        readonly delimiter?: string;
        readonly startAfter?: string;
        readonly maxKeys?: number;
      },
    ): Promise<{
      readonly objects: readonly Listed[];
      readonly commonPrefixes: readonly string[];
      readonly isTruncated: boolean;
    }>;
  }

  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly vhostBuckets: boolean;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    readonly store: Store;
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}
