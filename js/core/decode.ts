/** The bytes that scripts/lib/npm-inline.mjs wrote as text: a byte is a character, or one behind the sign of its page. */
export const decode = (text: string, rotation: number, shift: number): WebAssembly.Module =>
  new WebAssembly.Module(
    Uint8Array.from(
      text.match(/[}~]?./g)!,
      (sign) =>
        ((sign.charCodeAt(sign.length - 1) + rotation) % 90) + 90 * Math.max(0, sign.charCodeAt(0) - 124) - shift,
    ),
  );
