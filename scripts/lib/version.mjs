/** The first `major.minor[.patch]` in a text such as "rustc 1.95.0 (59807616e)", or undefined. */
export function findVersion(text) {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  return match ? match[0] : undefined;
}

/** Negative, zero or positive, as `left` is older than, the same as or newer than `right`. */
export function compareVersions(left, right) {
  const leftParts = left.split(".").map(Number);
  const rightParts = right.split(".").map(Number);
  for (let index = 0; index < 3; index += 1) {
    const difference = (leftParts[index] || 0) - (rightParts[index] || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function isAtLeast(version, minimum) {
  return compareVersions(version, minimum) >= 0;
}
