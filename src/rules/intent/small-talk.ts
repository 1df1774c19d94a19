/**
 * Words of greeting and farewell. The pages of `call-after-farewell` and `call-after-greeting` name their
 * sources and what they must not match.
 */

const farewells = [
  "bye|bye bye|goodbye|good bye|good night|see you|see ya|cya|see you (?:later|soon|tomorrow)|talk to you later|catch you later|take care|farewell",
  "have a (?:nice|good|great) (?:day|evening|night|weekend|one)|quit|exit|stop|stop it|no thanks|no thank you|nothing else",
  "that'?s (?:all|it)(?: i need(?:ed)?)?|that is all(?: i need(?:ed)?)?|that will be all|that'll be all|i'?m done|we'?re done|all done",
  "tschüss|tschüß|auf wiedersehen|bis bald|bis später|das war'?s|das war alles",
  "au revoir|à bientôt|bonne journée|c'est tout|adiós|adios|hasta luego|eso es todo|chao|chau|arrivederci|tchau|adeus|até logo",
  "doei|tot ziens|do widzenia|hej då|пока|до свидания|さようなら|またね|再见|拜拜|안녕히 계세요|hoşça kal",
].join("|");

const thanks = [
  "thanks|thank you|thx|ty|cheers|danke|danke schön|vielen dank|merci|merci beaucoup|gracias|muchas gracias|grazie|obrigado|obrigada",
  "bedankt|dank je|dziękuję|tack|спасибо|ありがとう|ありがとうございます|谢谢|감사합니다|고마워|teşekkürler",
].join("|");

const greetings = [
  "hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|hallo|moin|guten (?:tag|morgen|abend)|bonjour|bonsoir|salut",
  "hola|buenos días|buenos dias|buenas tardes|buenas|olá|ola|oi|bom dia|boa tarde|ciao|buongiorno|salve|hoi|hej|cześć|привет|здравствуйте",
  "こんにちは|你好|您好|안녕하세요|namaste|merhaba|selam",
].join("|");

const polite =
  "ok|okay|great|cool|perfect|nice|awesome|good|excellent|alright|very much|so much|a lot|a bunch|everyone|for now|for today|for your help|for the help|anyway|then|now|and|all|again|there|team|folks|friend|buddy|assistant|bot|claude|gpt|chatgpt|gemini|copilot";

function only(words: string, others = polite): RegExp {
  return new RegExp(`^(?:(?:${others}) ){0,6}(?:${words})(?: (?:${words}|${others})){0,6}$`, "u");
}

const farewell = only(`${farewells}|${thanks}`);
const goodbye = new RegExp(`(?:^| )(?:${farewells})(?: |$)`, "u");
const greeting = only(greetings);

/** Longer messages say something else as well. */
const maxWords = 6;

/** A short message on one line in lower case; `undefined` if it is longer or asks something. */
function wordsOfMessage(text: string): string | undefined {
  if (text.length > 80 || /[?？]/.test(text)) return undefined;
  const plain = text.toLowerCase().replace(/[’`]/g, "'");
  // Compiling the Unicode classes takes longer than everything else done with a short message.
  const words = plain
    .split(/^[ -~\s]*$/.test(plain) ? /[^a-z0-9']+/ : /[^\p{L}\p{M}\p{N}']+/u)
    .filter((word) => word !== "");
  return words.length > 0 && words.length <= maxWords ? words.join(" ") : undefined;
}

/** Whether a message is only a farewell. After a question in `before`, the model's text, thanks mean yes. */
export function isFarewell(text: string, before: string): boolean {
  const words = wordsOfMessage(text);
  if (words === undefined || !farewell.test(words)) return false;
  return goodbye.test(words) || !/[?？]\s*$/.test(before.slice(-40));
}

/** Whether a message is only a greeting. */
export function isGreeting(text: string): boolean {
  const words = wordsOfMessage(text);
  return words !== undefined && greeting.test(words);
}
