import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Points } from '../src/points';

test('points arrive in rows, one number per series, and are appended', () => {
  const points = new Points(2);
  points.take({ stride: 1, from: 0, times: [0, 1], values: [[1, 10], [2, null]] });
  points.take({ stride: 1, from: 2, times: [2], values: [[3, 30]] });
  assert.deepEqual(points.times, [0, 1, 2]);
  assert.deepEqual(points.columns, [[1, 2, 3], [10, null, 30]]);
});

test('overlapping points are replaced, and points after a gap are ignored', () => {
  const points = new Points(1);
  points.take({ stride: 1, from: 0, times: [0, 1], values: [[1], [2]] });
  points.take({ stride: 1, from: 1, times: [1, 2], values: [[5], [6]] });
  points.take({ stride: 1, from: 9, times: [9], values: [[9]] });
  assert.deepEqual([points.times, points.columns], [[0, 1, 2], [[1, 5, 6]]]);
});

test('a different stride replaces all earlier points', () => {
  const points = new Points(1);
  points.take({ stride: 1, from: 0, times: [0, 1, 2], values: [[1], [2], [3]] });
  points.take({ stride: 2, from: 0, times: [0, 2], values: [[1], [3]] });
  assert.deepEqual([points.stride, points.times, points.columns], [2, [0, 2], [[1, 3]]]);
});
