// Downloads the recording so far.

/** Returns a message to show; fails with another. */
export async function saveRecording(address: string, name: string): Promise<string> {
  let blob: Blob;
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    if (!answer.ok) throw new Error(answer.statusText);
    blob = await answer.blob();
  } catch {
    throw new Error('The recording could not be downloaded. Is the program still running?');
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // By then the browser has read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return `Saved ${name}. "conatus run ${name}" replays it bit for bit.`;
}
