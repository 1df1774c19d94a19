/** Errors that tell of a refusal without its reason. */

/** What to do with an error that has no more than a status. */
export const noReason =
  "It lacks the provider's reason, which is in the body of the response: print that, too (`error.response.text` in Python, `error.response.data` in axios, `error.metadata.raw` of OpenRouter), and explain its text";

/**
 * What HTTP clients say of a refused request, whose reason stands only in the body of the response: aiohttp,
 * requests, httpx, axios, .NET, Spring, the SDKs.
 */
const statusAlone =
  /ResponseError: (?:400|422), message=|\b(?:400|422) client error: .{1,60}? for url|client error ['"`](?:400|422) .{1,60}? for url|request failed with status code (?:400|422)|(?:does not indicate success:|service request failed\.\s?status:) (?:400|422)|\b(?:400|422) status code \(no body\)|\b(?:400|422) [a-z ]{1,40} from (?:POST|GET|PUT) http|^(?:[\w.]{1,60}: ){0,3}(?:http )?(?:400|422)[ :-]{1,3}(?:bad request|unprocessable (?:entity|content))[.!]?$/i;

/** OpenRouter's words, where a client printed no more of the error. */
const gatewayWords = /\bprovider returned error\b/i;

/** Whether a text of which nothing is known tells of a refusal without its reason. */
export function lacksReason(text: string): boolean {
  const line = text.replace(/\s+/g, " ").trim();
  return statusAlone.test(line) || gatewayWords.test(line);
}
