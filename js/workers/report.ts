import { property } from "../core/causes.js";
import type { Outcome } from "../core/types.js";

/** How an attempt went. */
export interface Report {
  /** Whether it reached its aim. */
  ok: boolean;
  /** What a failure tells the policy. Default: a plain one, to be repeated. */
  outcome?: Outcome;
  /** The HTTP status, when there was an answer. */
  status?: number;
  /** What went wrong, in words; kept to 200 bytes, and shown to whoever may read the history: leave secrets out. */
  error?: string;
}

/** A text up to the first word that could be part of a url, which may hold a token or a password. */
export const words = (text: string): string => {
  let end = text.search(/[/?#@%&]|:(?=\P{White_Space})/u);
  if (end < 0) return text;
  const isSpace = (index: number) => /\p{White_Space}/u.test(text.charAt(index));
  while (end > 0 && !isSpace(end - 1)) end -= 1;
  while (end > 0 && isSpace(end - 1)) end -= 1;
  return `${text.slice(0, end)} ...`;
};

/** Anything as a text: not all that can be thrown has one. */
export const textOf = (thing: unknown): string => {
  try {
    return String(thing);
  } catch {
    return "an error without words";
  }
};

/** What an error of any making says. */
export const messageOf = (problem: unknown): string => textOf(property(problem, "message") ?? problem);

/** An error of any making as a failed attempt that may be repeated, without the url that may stand in it. */
export const reportError = (error: unknown): Report => ({ ok: false, error: words(textOf(error)) });

/**
 * A report of any making, each fact read once: one whose getter throws is not there. What does not say whether the
 * attempt reached its aim is a failure, for it may be repeated and must not be taken for done.
 */
export const readReport = (given: unknown): Report => {
  const ok = property(given, "ok");
  if (typeof ok !== "boolean") return { ok: false, error: "the attempt gave no report" };
  const [outcome, status, error] = ["outcome", "status", "error"].map((key) => property(given, key));
  const [retryable, retryAfterMs] = ["retryable", "retryAfterMs"].map((key) => property(outcome, key));
  return {
    ok,
    outcome: {
      ...(retryable !== undefined && { retryable: retryable as boolean }),
      ...(retryAfterMs !== undefined && { retryAfterMs: retryAfterMs as number }),
    },
    ...(status !== undefined && { status: status as number }),
    ...(error !== undefined && error !== null && { error: typeof error === "string" ? error : words(textOf(error)) }),
  };
};
