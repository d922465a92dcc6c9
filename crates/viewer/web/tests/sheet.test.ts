import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blend, edgesOf, smoothNormals } from '../src/stage/sheet';

test('vertices are interpolated linearly, and invalid ones keep their position', () => {
  const out = Float32Array.of(7, 7, 7);
  blend(out, [0, 0, 0, 1, 2, NaN], [0, 0, 0, 3, 2, 5], 0.25, 1);
  assert.deepEqual([...out], [1.5, 2, 7]);
  blend(out, [0, 0, 0, 1, 2, 3], null, 0, 1);
  assert.deepEqual([...out], [1, 2, 3]);
});

test('a vertex normal is the area-weighted mean of its triangles', () => {
  // A square bent along its diagonal; the second half is twice as large and stands upright.
  const places = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2);
  const out = new Float32Array(12);
  smoothNormals(places, Uint32Array.of(0, 1, 2, 0, 2, 3), out);
  assert.deepEqual([...out.subarray(3, 6)], [0, 0, 1]);
  assert.deepEqual([...out.subarray(9, 12)], [1, 0, 0]);
  const [x, y, z] = out.subarray(0, 3);
  assert.ok(Math.abs(x! - 2 / Math.sqrt(5)) < 1e-6 && y === 0 && Math.abs(z! - 1 / Math.sqrt(5)) < 1e-6);
});

test('a degenerate triangle does not affect other normals', () => {
  const out = new Float32Array(9);
  smoothNormals(new Float32Array(9), Uint32Array.of(0, 1, 2), out);
  assert.deepEqual([...out], new Array(9).fill(0));
});

test('an edge is listed once, and on the border if it has one triangle', () => {
  const { all, border } = edgesOf(Uint32Array.of(0, 1, 2, 2, 1, 3));
  assert.equal(all.length, 10);
  assert.equal(border.length, 8);
  const closed = edgesOf(Uint32Array.of(0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3));
  assert.deepEqual([closed.all.length, closed.border.length], [12, 0]);
});
