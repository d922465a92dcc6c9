import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decodeCompact, unpack } from '../src/compact';

/** The layout of crates/viewer/src/compact.rs, written as plainly as possible. */
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

function f64(value: number): bigint {
  return new BigUint64Array(Float64Array.of(value).buffer)[0]!;
}

const FRAMES = 9;
const BODIES = 2;
const value = (channel: number, body: number, frame: number): number =>
  channel === 12 && frame === 4 ? NaN : Math.sin(channel + 0.3 * body + 0.1 * frame) * 10 ** (channel - 6);

function example(): ArrayBuffer {
  const writer = new Writer();
  const json = JSON.stringify({
    header: { scene: '</script> ü', bodies: [{ name: 'a' }, { name: 'b' }] },
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

test('a compact recording comes back in f32, wild numbers included', () => {
  check(decodeCompact(example()));
});

test('it is unpacked from base64 and gzip', async () => {
  check(await unpack(`\n${gzipSync(example()).toString('base64')}\n`));
});

test('a damaged one is told of in a sentence', async () => {
  const cut = gzipSync(example()).subarray(0, 100).toString('base64');
  await assert.rejects(unpack(cut), /damaged/);
  assert.throws(() => decodeCompact(new TextEncoder().encode('something else').buffer), /another version/);
});
