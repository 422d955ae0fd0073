// `getEventListeners` of `node:events` where there is none: counts what is added to and removed from every signal.

const registered = new WeakMap();
const { addEventListener, removeEventListener } = EventTarget.prototype;

const listenersOf = (target, type) => {
  if (!registered.has(target)) registered.set(target, new Map());
  const types = registered.get(target);
  if (!types.has(type)) types.set(type, new Map());
  return types.get(type);
};

EventTarget.prototype.addEventListener = function (type, listener, options) {
  const listeners = listenersOf(this, type);
  if (listeners.has(listener)) return;
  const called = (event) => {
    if (options?.once) listeners.delete(listener);
    return listener.call(this, event);
  };
  listeners.set(listener, called);
  addEventListener.call(this, type, called, options);
};

EventTarget.prototype.removeEventListener = function (type, listener, options) {
  const listeners = listenersOf(this, type);
  removeEventListener.call(this, type, listeners.get(listener) ?? listener, options);
  listeners.delete(listener);
};

export const getEventListeners = (target, type) => [...listenersOf(target, type).keys()];
