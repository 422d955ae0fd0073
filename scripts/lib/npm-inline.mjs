import { gzipSync } from "node:zlib";

// WebAssembly as text. Base64 turns every three bytes into four characters, so gzip no longer finds what repeats. Here a
// byte is one character, or for the rarer ones two, and what repeats still does: about a sixth less after gzip. All of it
// is ASCII that no minifier and no charset changes; of the quotes and escapes only the backslash is in it.
const FIRST = 35; // '#': neither a space nor a double quote comes after it
const PLAIN = 90;

/** Bytes moved by `shift`, so that the frequent ones are those of one character. */
export function encode(bytes, shift) {
  let text = "";
  for (const byte of bytes) {
    const moved = (byte + shift) & 255;
    const page = Math.floor(moved / PLAIN);
    if (page > 0) text += String.fromCharCode(FIRST + PLAIN - 1 + page);
    text += String.fromCharCode(FIRST + (moved % PLAIN));
  }
  return text;
}

/** The text of the shift that gzip likes best. */
export function encodeSmallest(bytes) {
  let best;
  for (let shift = 0; shift < 256; shift += 1) {
    const text = encode(bytes, shift);
    const size = gzipSync(text, { level: 9 }).length;
    if (best === undefined || size < best.size) best = { text, shift, size };
  }
  return best;
}
