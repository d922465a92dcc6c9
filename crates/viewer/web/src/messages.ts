// One line of news at a time: lasting ones (a lost connection, a quarantine) and passing ones.
import { setText } from './dom';

export class Messages {
  private readonly lasting = new Map<string, string>();
  private passing: string | null = null;
  private timer = 0;

  constructor(private readonly area: HTMLElement) {
    area.addEventListener('click', () => this.dismiss());
  }

  get current(): string | null {
    return this.passing ?? [...this.lasting.values()].at(-1) ?? null;
  }

  /** Says something for some seconds. */
  say(text: string, seconds = 5): void {
    this.passing = text;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.passing = null;
      this.show();
    }, seconds * 1000);
    this.show();
  }

  /** Says something until it is taken back with null. */
  hold(about: string, text: string | null): void {
    if ((this.lasting.get(about) ?? null) === text) return;
    this.lasting.delete(about);
    if (text !== null) this.lasting.set(about, text);
    this.show();
  }

  private dismiss(): void {
    if (this.passing !== null) this.passing = null;
    else this.lasting.clear();
    this.show();
  }

  private show(): void {
    // While it fades away, the last text stays.
    if (this.current !== null) setText(this.area, this.current);
    this.area.classList.toggle('shown', this.current !== null);
    this.area.classList.toggle('lasting', this.passing === null);
  }
}
