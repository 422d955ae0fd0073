import { gzipSync } from "node:zlib";

// WebAssembly as text. Base64 turns every three bytes into four characters, so gzip no longer finds what repeats. Here a
// byte is one character, or for the rarer ones two, and what repeats still does: about a sixth less after gzip. All of it
// is ASCII that no minifier and no charset changes; of the quotes and escapes only the backslash is in it.
const FIRST = 35; // '#': neither a space nor a double quote comes after it
const PLAIN = 90;

/**
 * Bytes moved by `shift`, so that the frequent ones are those of one character; and characters by `rotation`, so that they
 * are those which are frequent in JavaScript: gzip has one code for all of a bundle.
 */
export function encode(bytes, shift, rotation) {
  let text = "";
  for (const byte of bytes) {
    const moved = (byte + shift) & 255;
    const page = Math.floor(moved / PLAIN);
    if (page > 0) text += String.fromCharCode(FIRST + PLAIN - 1 + page); // '}' or '~'
    text += String.fromCharCode(FIRST + ((((moved - FIRST - rotation) % PLAIN) + PLAIN) % PLAIN));
  }
  return text;
}

const around = (middle, reach, count) =>
  Array.from({ length: 2 * reach + 1 }, (_, index) => (middle + index - reach + count) % count);
const every = (step, count) => Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);

/**
 * The text that gzip likes best behind the script that decodes it, or one a byte or so above it: neighbours are alike, so a
 * look at each would take fifty times as long.
 */
export function encodeSmallest(bytes, script) {
  const attempt = ({ shift, rotation }) => {
    const text = encode(bytes, shift, rotation);
    return { text, shift, rotation, size: gzipSync(script + text, { level: 9 }).length };
  };
  const best = (attempts, count) =>
    attempts
      .map(attempt)
      .sort((a, b) => a.size - b.size)
      .slice(0, count);
  const shifted = (shifts) =>
    best(
      shifts.map((shift) => ({ shift, rotation: 0 })),
      3,
    );
  const rotated = (found, rotations, count) =>
    best(
      found.flatMap(({ shift, rotation }) => rotations(rotation).map((rotation) => ({ shift, rotation }))),
      count,
    );
  const shifts = shifted(shifted(every(8, 256)).flatMap(({ shift }) => around(shift, 7, 256)));
  const coarse = rotated(shifts, () => every(6, PLAIN), 3);
  return rotated(coarse, (rotation) => around(rotation, 5, PLAIN), 1)[0];
}
