/** Random numbers that a seed repeats (mulberry32). */
export function seeded(seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (low, high) => low + random() * (high - low),
    whole: (low, high) => low + Math.floor(random() * (high - low + 1)),
    pick: (list) => list[Math.floor(random() * list.length)],
  };
}
