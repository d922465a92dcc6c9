import assert from 'node:assert/strict';
import { test } from 'node:test';
import { css, isActive } from '../src/contact-chart';
import type { ChartRow } from '../src/model';

const row: ChartRow = {
  label: 'left foot', body: 'walker/left foot', half_extents: [0.1, 0.05], below: 0.01, color: [1, 0.5, 0],
  active: [[0, 0.4], [1, 1.5]], contact: [1, 0],
};

test('an effector is active within its intervals and at their ends', () => {
  for (const [time, expected] of [[0, true], [0.4, true], [0.41, false], [1.2, true], [1.6, false], [NaN, false]] as const) {
    assert.equal(isActive(row, time), expected, String(time));
  }
});

test('colours are written in CSS notation', () => {
  assert.equal(css(row.color), 'rgb(255 128 0 / 1)');
  assert.equal(css([2, -1, 0.2], 0.5), 'rgb(255 0 51 / 0.5)');
});
