// How hot something is, in ten steps; style.css gives each a colour whose lightness falls steadily, so that
// they stay apart without colour vision and in grey print.
import type { Count } from './data';
import { num } from './format';

export function heat(value: Count | undefined, most: number): string {
  if (value == null) return 'unknown';
  const v = num(value);
  if (v === 0) return 'h0';
  return 'h' + Math.max(1, Math.round(9 * Math.pow(v / Math.max(most, 1), 0.4)));
}
