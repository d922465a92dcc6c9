// The playhead: follows the newest frame of a live run or replays recorded frames, and computes the moment to draw.
import { frameBytes } from './frame';
import { Lru } from './lru';
import type { Frame } from './model';
import type { Command, Kind, Shared, Source } from './source/source';

/** The moment to draw: between `a` and `b`, at `s` from 0 to 1. */
export interface DrawnMoment {
  a: Frame;
  b: Frame | null;
  s: number;
  time: number;
}

export const MIN_SPEED = 0.1;
export const MAX_SPEED = 4;
const CACHE_BYTES = 64 * 1024 * 1024;
/** The most frames that are requested at the same time. */
const MAX_PENDING_FRAMES = 8;
/** After this time a frame is requested again. */
const FRAME_TIMEOUT_S = 2;
/** The longest step of a replay: it does not catch up after a longer pause between two pictures, such as a hidden tab. */
const MAX_REPLAY_STEP_S = 0.25;
/** How many frames ahead of the replay are requested. */
const PREFETCH_FRAMES = 6;

type FrameRequests = Pick<Source, 'want' | 'frame' | 'command'>;

export class Player {
  loop = false;
  private kind: Kind = 'live';
  private frameSeconds = 1 / 30;
  private count = 0;
  private speedSet = 1;
  /** Whether the playhead is at the newest frame of a live run. */
  private following = true;
  /** Whether the live run is playing, according to the server. */
  private running = false;
  /** Requests without a reply; until it arrives they override the state of the server. */
  private requested: { running?: boolean; speed?: number }[] = [];
  /** Whether recorded frames are being replayed. */
  private replaying = false;
  /** The position of the playhead in frames, with a fraction. */
  private position = 0;
  private last: DrawnMoment | null = null;

  private readonly cache = new Lru<Frame>(CACHE_BYTES);
  private readonly pending = new Map<number, number>();
  private clock = 0;

  /** The newest frames of the live run, the drawn time between them, and the measured simulated seconds per second. */
  private recent: { index: number; frame: Frame; arrived: number }[] = [];
  private liveTime = NaN;
  private pace = 1;
  private credit = false;

  /** `showError` receives the error of a failed command. */
  constructor(
    private readonly source: FrameRequests,
    private readonly showError: (error: unknown) => void,
  ) {}

  /** Starts a new run and discards the previous one. */
  open(kind: Kind, frameSeconds: number, autoplay: boolean): void {
    this.kind = kind;
    this.frameSeconds = frameSeconds > 0 ? frameSeconds : 1 / 30;
    this.following = kind === 'live';
    this.replaying = kind !== 'live' && autoplay;
    this.count = 0;
    this.position = 0;
    this.requested = [];
    this.last = null;
    this.cache.clear();
    this.recent = [];
    this.liveTime = NaN;
    this.disconnected();
  }

  /** Pending requests will not be answered. */
  disconnected(): void {
    this.pending.clear();
    this.credit = false;
  }

  shared(state: Shared): void {
    this.count = Math.max(this.count, state.frames);
    if (this.kind !== 'live') return;
    this.running = state.playing;
    this.speedSet = state.speed;
  }

  frame(index: number, frame: Frame, newest: boolean): void {
    this.pending.delete(index);
    this.cache.set(index, frame, frameBytes(frame));
    this.count = Math.max(this.count, index + 1);
    if (!newest) return;
    this.credit = false;
    const before = this.recent.at(-1);
    if (before !== undefined && index <= before.index) return;
    if (before !== undefined && this.clock > before.arrived && this.running) {
      const seen = (frame.time - before.frame.time) / (this.clock - before.arrived);
      this.pace += 0.15 * (Math.min(seen, 2 * MAX_SPEED) - this.pace);
    }
    this.recent.push({ index, frame, arrived: this.clock });
    if (this.recent.length > 8) this.recent.shift();
  }

  /** Advances by `dt` seconds; returns what to draw, or null while there is nothing. */
  advance(dt: number): DrawnMoment | null {
    this.clock += dt;
    this.last = (this.following ? this.advanceLive(dt) : this.advancePast(Math.min(dt, MAX_REPLAY_STEP_S))) ?? this.last;
    return this.last;
  }

  // ---- Actions ----

  toggle(): void {
    if (this.following) return this.run(!this.playing);
    if (this.replaying) {
      this.replaying = false;
    } else if (this.position < this.count - 1) {
      this.replaying = true;
    } else if (this.kind === 'live' && !this.loop) {
      this.goLive();
    } else {
      this.position = 0;
      this.replaying = true;
    }
  }

  step(frames: number): void {
    if (this.following) {
      if (this.playing) this.run(false);
      if (frames > 0) {
        for (let i = 0; i < frames; i++) this.send({ do: 'step' });
        return;
      }
      this.scrub(this.index + frames);
      return;
    }
    const from = frames > 0 ? Math.floor(this.position + 1e-9) : Math.ceil(this.position - 1e-9);
    if (from + frames > this.count - 1 && this.kind === 'live') this.end();
    else this.scrub(from + frames);
  }

  /** Moves to a recorded frame and stops there; a live run pauses. */
  scrub(index: number): void {
    if (this.following && this.playing) this.run(false);
    this.following = false;
    this.replaying = false;
    this.position = Math.min(Math.max(index, 0), Math.max(this.count - 1, 0));
  }

  /** Moves to the frame nearest to a time; all frames except perhaps the last are evenly spaced. */
  scrubToTime(time: number): void {
    this.scrub(Math.round(time / this.frameSeconds));
  }

  end(): void {
    if (this.kind !== 'live') return this.scrub(this.count - 1);
    this.follow();
  }

  goLive(): void {
    if (this.kind !== 'live') return;
    this.follow();
    this.run(true);
  }

  /** Restarts a live run; a recording goes back to its beginning. */
  reset(): void {
    if (this.kind === 'live') {
      this.send({ do: 'reset' });
      return;
    }
    this.position = 0;
  }

  setSpeed(speed: number): void {
    const value = Math.min(Math.max(speed, MIN_SPEED), MAX_SPEED);
    if (this.kind === 'live') this.request({ speed: value }, { do: 'speed', value });
    else this.speedSet = value;
  }

  // ---- State ----

  get playing(): boolean {
    return this.following ? (this.requestedValue('running') ?? this.running) : this.replaying;
  }

  get live(): boolean {
    return this.following;
  }

  get speed(): number {
    return this.requestedValue('speed') ?? this.speedSet;
  }

  get frames(): number {
    return this.count;
  }

  /** The frame at the playhead. */
  get index(): number {
    return this.following ? (this.recent.at(-1)?.index ?? 0) : Math.round(this.position);
  }

  get atEnd(): boolean {
    return !this.following && this.position >= this.count - 1;
  }

  get duration(): number {
    return Math.max(this.count - 1, 0) * this.frameSeconds;
  }

  // ---- Implementation ----

  private follow(): void {
    this.following = true;
    this.replaying = false;
    this.recent = this.recent.slice(-1);
    this.liveTime = this.recent.at(-1)?.frame.time ?? NaN;
  }

  private run(running: boolean): void {
    this.request({ running }, { do: running ? 'play' : 'pause' });
  }

  private request(what: { running?: boolean; speed?: number }, command: Command): void {
    this.requested.push(what);
    const replied = (): void => {
      this.requested = this.requested.filter((other) => other !== what);
    };
    this.source.command(command).then(
      () => {
        this.running = what.running ?? this.running;
        this.speedSet = what.speed ?? this.speedSet;
        replied();
      },
      (error: unknown) => {
        replied();
        this.showError(error);
      },
    );
  }

  private requestedValue<K extends 'running' | 'speed'>(key: K): { running?: boolean; speed?: number }[K] {
    return this.requested.findLast((what) => what[key] !== undefined)?.[key];
  }

  private send(command: Command): void {
    this.source.command(command).catch(this.showError);
  }

  private advanceLive(dt: number): DrawnMoment | null {
    const newest = this.recent.at(-1);
    if (!this.credit) {
      this.credit = true;
      this.source.want(newest?.index ?? -1);
    }
    if (newest === undefined) return null;
    const before = this.recent.at(-2) ?? newest;
    const gap = Math.max(newest.frame.time - before.frame.time, this.frameSeconds);
    const delay = newest.frame.time - this.liveTime;
    // Drawing one gap behind the newest frame leaves a frame to interpolate towards.
    if (!(delay >= 0 && delay < 4 * gap)) this.liveTime = newest.frame.time - gap;
    const catchUp = Math.min(Math.max(1 + 0.3 * (delay / gap - 0.75), 0.7), 1.5) || 1;
    const rate = this.playing ? Math.max(this.pace, 0.02) * catchUp : Math.max(this.speed, 1);
    this.liveTime = Math.min(this.liveTime + dt * rate, newest.frame.time);
    let i = this.recent.length - 1;
    while (i > 0 && this.recent[i]!.frame.time > this.liveTime) i--;
    this.recent.splice(0, i);
    const [a, b] = [this.recent[0]!.frame, this.recent[1]?.frame ?? null];
    if (b === null) return { a, b, s: 0, time: a.time };
    const s = Math.min(Math.max((this.liveTime - a.time) / (b.time - a.time), 0), 1);
    return { a, b, s, time: a.time + s * (b.time - a.time) };
  }

  private advancePast(dt: number): DrawnMoment | null {
    const end = Math.max(this.count - 1, 0);
    if (this.count === 0) return null;
    if (this.replaying) {
      // Not beyond the frames in the cache: a late frame delays the replay instead of being skipped.
      const wanted = Math.min(this.position + (dt * this.speed) / this.frameSeconds, end);
      let there = Math.floor(this.position);
      while (there < Math.ceil(wanted) && this.cache.has(there + 1)) there++;
      if (this.cache.has(Math.floor(this.position))) {
        this.position = Math.max(this.position, Math.min(wanted, there));
      }
      if (this.position >= end) this.ended();
      if (this.following) return this.advanceLive(0);
    }
    const index = Math.min(Math.floor(this.position), end);
    this.fetch(index, this.replaying ? PREFETCH_FRAMES : 1);
    const a = this.cache.get(index);
    const s = this.position - index;
    const b = s > 0 ? this.cache.get(index + 1) : null;
    if (a === undefined || b === undefined) return null;
    return { a, b, s, time: b === null ? a.time : a.time + s * (b.time - a.time) };
  }

  /** The replay has reached the last recorded frame. */
  private ended(): void {
    if (this.loop) this.position = 0;
    else if (this.kind === 'live') this.goLive();
    else this.replaying = false;
  }

  private fetch(first: number, ahead: number): void {
    for (const [index, since] of this.pending) {
      if (this.clock - since > FRAME_TIMEOUT_S) this.pending.delete(index);
    }
    for (let index = first; index <= Math.min(first + ahead, this.count - 1); index++) {
      if (this.pending.size >= MAX_PENDING_FRAMES) return;
      if (this.cache.has(index) || this.pending.has(index)) continue;
      this.pending.set(index, this.clock);
      this.source.frame(index);
    }
  }
}
