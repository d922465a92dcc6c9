// Recordings embedded in the page: one, or several movements to choose from.
import { type Compact, unpack } from '../compact';
import type { Command, Listener, Source } from './source';

/** The most points of a plot. */
const MAX_PLOT_POINTS = 4096;

/** An embedded recording, and its name in the list of movements. */
export interface EmbeddedRecording {
  text: string;
  label: string;
}

export class FileSource implements Source {
  readonly saveAddress = null;
  private listener: Listener | null = null;
  private recording: Compact | null = null;

  /** The movement that was chosen last. */
  private chosen = 0;

  constructor(private readonly inside: EmbeddedRecording[]) {}

  start(listener: Listener): void {
    this.listener = listener;
    this.open(0).catch((error: unknown) =>
      listener.connection(false, error instanceof Error ? error.message : String(error)),
    );
  }

  private async open(index: number): Promise<void> {
    const chosen = this.inside[index];
    const { listener } = this;
    if (chosen === undefined || listener === null) throw new Error(`There is no movement ${index + 1}.`);
    this.chosen = index;
    const recording = await unpack(chosen.text);
    // Another movement was chosen meanwhile.
    if (this.chosen !== index) return;
    this.recording = recording;
    const { header, title, series, chart, events, frames, clothStride } = recording;
    const movements = this.inside.length > 1 ? this.inside.map((one) => one.label) : [];
    listener.run({ kind: 'file', number: index + 1, header, title, scenes: [], series, chart, movements, movement: index });
    listener.connection(true, null);
    const message = clothStride > 1 ? `To limit the size of this file, it stores cloth for one frame in ${clothStride}.` : null;
    listener.shared({ playing: false, speed: 1, frames, factor: null, quarantined: [], pulls: [], message, search: null });
    listener.events(events);
  }

  want(): void {
    // A recording has no newer frames.
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
    while (frames > stride * MAX_PLOT_POINTS) stride *= 2;
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
    if (command.do === 'movement') return this.open(command.index);
    return Promise.reject(new Error(`Recordings are read-only (${command.do.replace('_', ' ')}).`));
  }
}
