// Hands the recording so far to the browser as a file to keep.

/** Gives a sentence to show; fails with another. */
export async function saveRecording(address: string, name: string): Promise<string> {
  let blob: Blob;
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    if (!answer.ok) throw new Error(answer.statusText);
    blob = await answer.blob();
  } catch {
    throw new Error('The recording cannot be fetched. Is the program still running?');
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return `Saved ${name}; conatus run ${name} repeats it bit for bit.`;
}
