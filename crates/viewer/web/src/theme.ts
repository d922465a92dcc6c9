// The light or dark theme: the preference of the system until the user chooses; the choice is stored.

export type ThemeName = 'light' | 'dark';
const STORAGE_KEY = 'conatus-theme';

export class Theme {
  private chosen = remembered();
  private readonly dark = matchMedia('(prefers-color-scheme: dark)');

  constructor(private readonly changed: (theme: ThemeName) => void) {
    this.dark.addEventListener('change', () => this.apply());
    this.apply();
  }

  get name(): ThemeName {
    return this.chosen ?? (this.dark.matches ? 'dark' : 'light');
  }

  toggle(): void {
    this.chosen = this.name === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(STORAGE_KEY, this.chosen);
    } catch {
      // Some browsers store nothing for a file opened from disk; the choice then lasts until the page is closed.
    }
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset['theme'] = this.name;
    this.changed(this.name);
  }
}

function remembered(): ThemeName | null {
  try {
    const kept = localStorage.getItem(STORAGE_KEY);
    return kept === 'light' || kept === 'dark' ? kept : null;
  } catch {
    return null;
  }
}
