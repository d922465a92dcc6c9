import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decodeCompact, unpack } from '../src/compact';

/** The layout of crates/viewer/src/compact/mod.rs, written as plainly as possible. */
class Writer {
  readonly bytes: number[] = [];

  text(text: string): void {
    this.bytes.push(...new TextEncoder().encode(text));
  }

  u32(value: number): void {
    this.bytes.push(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24);
  }

  planes(values: number[]): void {
    for (const shift of [24, 16, 8, 0]) this.bytes.push(...values.map((v) => (v >>> shift) & 255));
  }

  wide(values: bigint[]): void {
    let [last, step] = [0n, 0n];
    const coded = values.map((value) => {
      const change = value - last;
      const d = BigInt.asIntN(64, change - step);
      [last, step] = [value, change];
      return BigInt.asUintN(64, (d << 1n) ^ (d >> 63n));
    });
    this.planes(coded.map((v) => Number(v >> 32n)));
    this.planes(coded.map((v) => Number(v & 0xffffffffn)));
  }

  narrow(order: number, tracks: number[][]): void {
    this.bytes.push(order);
    const rank = (value: number): number => {
      const bits = new Int32Array(Float32Array.of(value).buffer)[0]!;
      return bits < 0 ? bits ^ 0x7fffffff : bits;
    };
    this.planes(
      tracks.flatMap((track) =>
        track.map((value, i) => {
          const [a = 0, b = 0, c = 0] = track.slice(0, i).reverse().map(Math.fround);
          const guess = Math.fround([0, a, 2 * a - b, 3 * (a - b) + c][Math.min(order, i)]!);
          const d = (rank(value) - rank(Number.isFinite(guess) ? guess : 0)) | 0;
          return (d << 1) ^ (d >> 31);
        }),
      ),
    );
  }
}

/** A sheet of two triangles whose four vertices move evenly except for one jump. */
const SHEET = { name: 'sheet', color: [1, 0, 0], thickness: 0.001, vertices: 4, triangles: [[0, 1, 2], [2, 1, 3]] };
const vertex = (frame: number, v: number, axis: number): number => (v === 2 && frame === 4 ? 60000 : 1000 * axis + 100 * v + 7 * frame * frame);

/** Cloth at these frames, in all modes one after the other. */
function cloth(writer: Writer, stride: number, frames: number[]): void {
  const lower = [[], [0], [0, 1], [1, 2]];
  const bytes = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer);
  writer.u32(stride);
  // A whole number q stands for −1 + q / 65535 on the first axis, for q on the second, and for 3 on the flat third.
  for (const corner of [-1, 0, 3, 0, 65535, 3]) writer.bytes.push(...bytes(corner));
  const modes: number[] = [], coded: number[] = [];
  frames.forEach((frame, i) => {
    for (let axis = 0; axis < 3; axis++) {
      const mode = (3 * i + axis) % 8;
      const order = Math.min(mode & 3, i);
      const at = (back: number, v: number): number => vertex(frames[i - back]!, v, axis);
      const off = [0, 1, 2, 3].map((v) => {
        const guesses = [() => 0, () => at(1, v), () => 2 * at(1, v) - at(2, v), () => 3 * (at(1, v) - at(2, v)) + at(3, v)];
        return at(0, v) - guesses[order]!();
      });
      modes.push(mode);
      off.forEach((own, v) => {
        const near = mode & 4 ? lower[v]! : [];
        const mean = near.length > 0 ? Math.trunc(near.reduce((sum, j) => sum + off[j]!, 0) / near.length) : 0;
        const d = ((own - mean) << 16) >> 16;
        coded.push(((d << 1) ^ (d >> 15)) & 65535);
      });
    }
  });
  writer.bytes.push(...modes, ...coded.map((d) => d >> 8), ...coded.map((d) => d & 255));
}

function f64(value: number): bigint {
  return new BigUint64Array(Float64Array.of(value).buffer)[0]!;
}

const FRAMES = 9;
const BODIES = 2;
const value = (channel: number, body: number, frame: number): number =>
  channel === 12 && frame === 4 ? NaN : Math.sin(channel + 0.3 * body + 0.1 * frame) * 10 ** (channel - 6);

function example(clothFrames: number[] = [], stride = 1): ArrayBuffer {
  const writer = new Writer();
  const json = JSON.stringify({
    header: { scene: '</script> ü', bodies: [{ name: 'a' }, { name: 'b' }], cloths: clothFrames.length > 0 ? [SHEET] : undefined },
    title: null,
    events: [],
    series: [{ name: 'total', group: 'energy', unit: 'J' }],
  });
  const all = Array.from({ length: FRAMES }, (_, f) => f);
  writer.text('conatus1');
  for (const count of [new TextEncoder().encode(json).length, FRAMES, BODIES, 3, 1]) writer.u32(count);
  writer.text(json);
  writer.wide(all.map((f) => f64(f / 30)));
  writer.wide(all.map((f) => BigInt(20 * f)));
  writer.wide(all.map((f) => f64(f === 3 ? Infinity : -1 / (f + 1))));
  for (let i = 0; i < 9; i++) writer.narrow(i % 4, [all.map((f) => i + f)]);
  for (let i = 0; i < 13; i++) writer.narrow(i % 4, [0, 1].map((b) => all.map((f) => value(i, b, f))));
  writer.planes(all.map((f) => (f === 2 ? 1 : f === 5 ? 2 : 0)));
  for (let i = 0; i < 7; i++) writer.narrow(1, [[i, i + 10, i + 20]]);
  for (let f = 0; f < FRAMES; f++) writer.bytes.push(f === 0 ? 1 : 0, f === 6 ? 3 : 0);
  if (clothFrames.length > 0) cloth(writer, stride, clothFrames);
  return Uint8Array.from(writer.bytes).buffer;
}

function check(recording: ReturnType<typeof decodeCompact>): void {
  assert.equal(recording.header.scene, '</script> ü');
  assert.equal(recording.frames, FRAMES);
  assert.deepEqual([...recording.values[0]!], [-1, -1 / 2, -1 / 3, Infinity, -1 / 5, -1 / 6, -1 / 7, -1 / 8, -1 / 9]);
  for (let f = 0; f < FRAMES; f++) {
    const frame = recording.frame(f);
    assert.equal(frame.time, f / 30);
    assert.equal(frame.step, 20 * f);
    assert.deepEqual([frame.kinetic, frame.penetration, frame.momentum], [f, 8 + f, [2 + f, 3 + f, 4 + f]]);
    for (let b = 0; b < BODIES; b++) {
      for (let i = 0; i < 13; i++) assert.equal(frame.bodies[13 * b + i], Math.fround(value(i, b, f)));
    }
    assert.deepEqual([...frame.status], [1, f >= 6 ? 3 : 0]);
  }
  assert.deepEqual([...recording.frame(2).contacts], [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...recording.frame(5).contacts], [10, 11, 12, 13, 14, 15, 16, 20, 21, 22, 23, 24, 25, 26]);
  assert.equal(recording.frame(6).contacts.length, 0);
}

test('a compact recording is decoded in f32, non-finite numbers included', () => {
  check(decodeCompact(example()));
});

test('cloth is decoded to 65535ths of its box, for all kinds of prediction', () => {
  const recording = decodeCompact(example([0, 1, 2, 3, 4, 5, 6, 7, 8]));
  check(recording);
  for (let f = 0; f < FRAMES; f++) {
    const expected = [0, 1, 2, 3].flatMap((v) => [vertex(f, v, 0) / 65535 - 1, vertex(f, v, 1), 3]);
    assert.deepEqual([...recording.frame(f).cloth], expected.map(Math.fround));
  }
});

test('cloth is interpolated linearly between stored frames, up to the last frame', () => {
  const recording = decodeCompact(example([0, 3, 6, 8], 3));
  assert.equal(recording.clothStride, 3);
  const y = (f: number): number => recording.frame(f).cloth[4]!;
  const there = (f: number): number => vertex(f, 1, 1);
  assert.deepEqual([0, 3, 6, 8].map(y), [0, 3, 6, 8].map(there));
  assert.equal(y(1), Math.fround(there(0) + (there(3) - there(0)) / 3));
  assert.equal(y(7), Math.fround((there(6) + there(8)) / 2));
});

test('a recording is unpacked from base64 and gzip', async () => {
  check(await unpack(`\n${gzipSync(example()).toString('base64')}\n`));
});

test('a damaged recording is reported in one sentence', async () => {
  const cut = gzipSync(example()).subarray(0, 100).toString('base64');
  await assert.rejects(unpack(cut), /damaged/);
  assert.throws(() => decodeCompact(new TextEncoder().encode('something else').buffer), /another version/);
});
