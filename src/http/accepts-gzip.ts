/** Whether an Accept-Encoding lets an answer be packed by gzip; `q=0` forbids what it stands at. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const offers = [header ?? []].flat().join().toLowerCase().split(',').map(readOffer);
  const offer = offers.find(({ coding }) => coding === 'gzip') ?? offers.find(({ coding }) => coding === '*');
  return offer !== undefined && offer.quality > 0;
}

/** One entry of the header, such as `gzip;q=0.5`. */
function readOffer(text: string): { readonly coding: string; readonly quality: number } {
  const [coding = '', ...parameters] = text.split(';').map(part => part.trim());
  const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice('q='.length);
  return { coding, quality: Number(quality ?? 1) };
}
