// Numbers formatted for display.

/** Four significant digits, at most about ten characters. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'not a number' : value > 0 ? '∞' : '−∞';
  const size = Math.abs(value);
  const text =
    size !== 0 && (size < 1e-3 || size >= 1e5)
      ? value.toExponential(2)
      : value.toFixed(Math.max(0, 3 - Math.floor(Math.log10(Math.max(size, 1)))));
  return text.replace(/-/g, '−');
}

/** Seconds with two decimals, with minutes if there are any. */
export function clock(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  const minutes = Math.floor(seconds / 60 + 1e-9);
  if (minutes === 0) return `${seconds.toFixed(2)} s`;
  return `${minutes}:${(seconds - 60 * minutes).toFixed(2).padStart(5, '0')}`;
}

const PREFIXES: [number, string][] = [[1e9, ' G'], [1e6, ' M'], [1e3, ' k'], [1, ' '], [1e-3, ' m'], [1e-6, ' µ']];

/** A number with a metric prefix, before its unit: `2 k` of 2000. */
export function metric(value: number): string {
  const [factor, prefix] = PREFIXES.find(([least]) => Math.abs(value) >= 0.9999 * least) ?? [1, ' '];
  return `${Number((value / factor).toPrecision(3))}${prefix}`;
}
