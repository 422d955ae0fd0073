/** Equality as `assert.deepStrictEqual` has it, of the values that tests compare. */
export function isDeepEqual(left, right, compared = new Map()) {
  if (Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right)) return false;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  // Met again on the way down: equal, unless something else tells them apart.
  if (compared.get(left) === right) return true;
  compared.set(left, right);
  const within = (one, other) => isDeepEqual(one, other, compared);

  if (left instanceof Date && !Object.is(left.getTime(), right.getTime())) return false;
  if (left instanceof RegExp && String(left) !== String(right)) return false;
  if (left instanceof Error && !["name", "message", "cause"].every((key) => within(left[key], right[key])))
    return false;
  if (left instanceof Map && !haveSameMembers([...left], [...right], within)) return false;
  if (left instanceof Set && !haveSameMembers([...left], [...right], within)) return false;
  if (left instanceof ArrayBuffer && !within(new Uint8Array(left), new Uint8Array(right))) return false;
  if (Array.isArray(left) && left.length !== right.length) return false;

  const keys = ownKeys(left);
  return (
    keys.length === ownKeys(right).length && keys.every((key) => owns(right, key) && within(left[key], right[key]))
  );
}

const isObject = (value) => typeof value === "object" && value !== null;
const owns = (value, key) => Object.prototype.propertyIsEnumerable.call(value, key);
const ownKeys = (value) => Reflect.ownKeys(value).filter((key) => owns(value, key));

function haveSameMembers(left, right, within) {
  const open = [...right];
  for (const member of left) {
    const index = open.findIndex((other) => within(member, other));
    if (index < 0) return false;
    open.splice(index, 1);
  }
  return open.length === 0;
}
