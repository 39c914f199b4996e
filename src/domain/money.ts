/** Amounts of money: exact integers of a millionth of the currency, and decimal strings wherever they are shown. */

/** A millionth of the currency, as a whole number. Sums stay exact up to nine billion of the currency. */
export type Micros = number;

const micro = 1_000_000;

/** An amount as text: at least two and at most six digits behind the point, such as `0.30`, `-1.00` or `0.0125`. */
export function formatAmount(micros: Micros): string {
  const size = Math.abs(micros);
  const behind = String(size % micro)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${micros < 0 ? '-' : ''}${Math.floor(size / micro)}.${behind}`;
}

/** The same; null stays null, as for an account without a limit. */
export const formatAmountOrNull = (micros: Micros | null): string | null =>
  micros === null ? null : formatAmount(micros);

/** Nine billion: beyond it sums of millionths are not exact any more. */
const maxWholeDigits = 9;

/** Reads an amount such as `10`, `0.5` or `-2.25`; null for anything else, or with more than six digits behind the point. */
export function parseAmount(text: string): Micros | null {
  const found = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (!found || found[2]!.replace(/^0+/, '').length > maxWholeDigits) return null;
  const micros = Number(found[2]) * micro + Number((found[3] ?? '').padEnd(6, '0'));
  return found[1] === '-' && micros !== 0 ? -micros : micros;
}

/** A price of one unit in billionths of a millionth, so that a token may cost far less than a millionth. */
const rateDigits = 15;

/** A decimal number, exactly as it is written. */
interface Decimal {
  readonly digits: bigint;
  /** Digits behind the point. */
  readonly scale: number;
}

/** Exact value of a finite number as JavaScript prints it, so that 0.1 is one tenth. Null for what is not finite. */
function decimalOf(value: number): Decimal | null {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!found) return null;
  const [, sign, whole = '', behind = '', exponent = '0'] = found;
  const digits = BigInt(`${sign}${whole}${behind}`);
  const scale = behind.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** `quantity` times `price` of one unit, rounded half up to a millionth. Both are at least 0. */
export function multiplyPrice(price: number, quantity: number): Micros {
  return multiplyWhole(price, quantity) ?? multiplyExactly(price, quantity);
}

/** A price of whole millionths and a whole quantity, as most are; null where digits beyond a number's could be lost. */
function multiplyWhole(price: number, quantity: number): Micros | null {
  const micros = Math.round(price * micro);
  const product = micros * quantity;
  // A number of up to 15 digits divided by a power of ten is the number that is written so.
  const isExact = Number.isInteger(quantity) && Math.abs(micros) < 1e15 && micros / micro === price;
  return isExact && Number.isSafeInteger(product) ? product : null;
}

/** Of any decimals. */
function multiplyExactly(price: number, quantity: number): Micros {
  const [rate, count] = [decimalOf(price), decimalOf(quantity)];
  if (!rate || !count) throw new RangeError(`expected finite numbers, got ${price} and ${quantity}`);
  const scale = rate.scale + count.scale;
  const product = rate.digits * count.digits * BigInt(micro);
  const divisor = 10n ** BigInt(scale);
  return Number((product * 2n + divisor) / (divisor * 2n));
}

/** The product of two decimals as the number that prints it, so that 0.07 times 1.1 is 0.077. */
export function multiplyDecimals(a: number, b: number): number {
  const [first, second] = [decimalOf(a), decimalOf(b)];
  if (!first || !second) throw new RangeError(`expected finite numbers, got ${a} and ${b}`);
  return Number(`${first.digits * second.digits}e-${first.scale + second.scale}`);
}

/** A price of one unit as text: at least two digits behind the point, and as many as it needs. */
export function formatPrice(price: number): string {
  const decimal = decimalOf(price);
  if (!decimal) throw new RangeError(`expected a finite number, got ${price}`);
  const digits = decimal.digits.toString().padStart(decimal.scale + 1, '0');
  const whole = digits.slice(0, digits.length - decimal.scale);
  return `${whole}.${digits.slice(whole.length).replace(/0+$/, '').padEnd(2, '0').slice(0, rateDigits)}`;
}

/** What a job cost, as results and callbacks show it: amounts and prices as decimal strings. */
export interface CostBody {
  readonly amount: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly lines: readonly {
    /** A unit of usage, such as `second`. */
    readonly unit: string;
    readonly quantity: number;
    readonly price: string;
    readonly basis: 'reported' | 'computed';
  }[];
}
