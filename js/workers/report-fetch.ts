import { httpOutcome } from "../classify.js";
import { optionError } from "../core/errors.js";
import type { HttpOutcomeOptions, ResponseLike } from "../core/http-options.js";
import { functions } from "./capable.js";
import { reportError } from "./report.js";
import type { Report } from "./report.js";

/**
 * What the answer to a request says of the attempt: any 2xx is success; of others `httpOutcome` reads the status and
 * `Retry-After`; a request that got no answer may be repeated. A `TypeError` says what is no answer at all.
 */
export const reportFetch = async (
  answer: PromiseLike<ResponseLike> | ResponseLike,
  options: HttpOutcomeOptions & { now?: () => number } = {},
): Promise<Report> => {
  let response;
  try {
    response = await answer;
  } catch (error) {
    return reportError(error);
  }
  const { now } = functions(options, { now: Date.now });
  const status = (Object(response) as Partial<ResponseLike>).status;
  if (typeof status !== "number") throw optionError("response.status", "a number", status);
  if (status >= 200 && status < 300) return { ok: true, status };
  return { ok: false, outcome: httpOutcome(response, now(), options), status };
};
