// A recording inside of the page itself.
import { type Compact, unpack } from '../compact';
import type { Command, Listener, Source } from './source';

/** The most points that a plot is given. */
const MOST_POINTS = 4096;

export class FileSource implements Source {
  readonly saveAddress = null;
  private listener: Listener | null = null;
  private recording: Compact | null = null;

  constructor(private readonly text: string) {}

  start(listener: Listener): void {
    this.listener = listener;
    unpack(this.text).then(
      (recording) => {
        this.recording = recording;
        const { header, title, series, chart, events, frames, clothStride } = recording;
        listener.run({ kind: 'file', number: 1, header, title, scenes: [], series, chart });
        listener.connection(true, null);
        const message = clothStride > 1 ? `To keep this file small, cloth is stored for one frame in ${clothStride}.` : null;
        listener.shared({ playing: false, speed: 1, frames, factor: null, quarantined: [], pulls: [], message });
        listener.events(events);
      },
      (error: unknown) => listener.connection(false, error instanceof Error ? error.message : String(error)),
    );
  }

  want(): void {
    // There is nothing newer than what is there.
  }

  frame(index: number): void {
    if (this.recording !== null && index >= 0 && index < this.recording.frames) {
      this.listener?.frame(index, this.recording.frame(index), false);
    }
  }

  series(): void {
    if (this.recording === null) return;
    const { frames, times, values } = this.recording;
    let stride = 1;
    while (frames > stride * MOST_POINTS) stride *= 2;
    const points = Array.from({ length: Math.ceil(frames / stride) }, (_, i) => i * stride);
    const finite = (value: number | undefined): number | null =>
      value !== undefined && Number.isFinite(value) ? value : null;
    this.listener?.series({
      stride,
      from: 0,
      times: points.map((i) => times[i] ?? 0),
      values: points.map((i) => values.map((line) => finite(line[i]))),
    });
  }

  command(command: Command): Promise<void> {
    return Promise.reject(new Error(`A recording cannot ${command.do.replace('_', ' ')}.`));
  }
}
