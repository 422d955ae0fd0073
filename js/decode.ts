/** The bytes that scripts/lib/npm-inline.mjs wrote as text. */
export const decode = (text: string, shift: number): WebAssembly.Module => {
  const bytes: number[] = [];
  let page = 0;
  for (const character of text) {
    const code = character.charCodeAt(0) - 35;
    if (code > 89) page = (code - 89) * 90;
    else {
      bytes.push(page + code - shift);
      page = 0;
    }
  }
  return new WebAssembly.Module(Uint8Array.from(bytes));
};
