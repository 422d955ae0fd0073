import type { HttpOutcomeOptions, ResponseLike } from "../core/http-options.js";
import { httpOutcome } from "../classify.js";
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

/** An error of any making as a failed attempt that may be repeated, without the url that may stand in it. */
export const reportError = (error: unknown): Report => {
  let text;
  try {
    text = String(error);
  } catch {
    text = "an error without words";
  }
  return { ok: false, error: words(text) };
};

/**
 * What the answer to a request says of the attempt: any 2xx is success; of others `httpOutcome` reads the status and
 * `Retry-After`; a request that got no answer may be repeated.
 */
export const reportFetch = async (
  answer: PromiseLike<ResponseLike> | ResponseLike,
  options?: HttpOutcomeOptions & { now?: () => number },
): Promise<Report> => {
  let response;
  try {
    response = await answer;
  } catch (error) {
    return reportError(error);
  }
  const { status } = response;
  if (status >= 200 && status < 300) return { ok: true, status };
  return { ok: false, outcome: httpOutcome(response, (options?.now ?? Date.now)(), options), status };
};
