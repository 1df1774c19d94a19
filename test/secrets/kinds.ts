/** Made-up credentials of all kinds, put together when the tests run, so that no secret scanner finds one here. */

/** Draws characters by lot, the same ones in each run. */
function lot(seed: number): (characters: string, length: number) => string {
  let state = seed;
  return (characters, length) =>
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return characters[Math.floor((state / 2 ** 32) * characters.length)];
    }).join("");
}

const figures = "0123456789";
const small = "abcdefghijklmnopqrstuvwxyz";
const large = small.toUpperCase();
const letters = small + large;
const any = letters + figures;
const word = `${any}_-`;
const hexadecimal = "0123456789abcdef";
const base64 = `${any}+/`;

/** A text with a credential in it. */
export interface Leak {
  readonly kind: string;
  /** What no output may show. */
  readonly secret: string;
  /** The text as people write or print it, with the secret in it. */
  readonly text: string;
  /** The text without the secret cannot be told from a harmless one, so it is masked only here. */
  readonly needsName?: true;
}

type Draw = ReturnType<typeof lot>;

function uuid(draw: Draw): string {
  return [8, 4, 4, 4, 12].map((length) => draw(hexadecimal, length)).join("-");
}

/** Told by their own form, wherever they stand. */
const issued: Readonly<Record<string, (draw: Draw) => string>> = {
  "OpenAI, old": (draw) => `sk-${draw(any, 20)}T3Blbk${"FJ"}${draw(any, 20)}`,
  "OpenAI, project": (draw) => `sk-${"proj"}-${draw(word, 74)}T3Blbk${"FJ"}${draw(word, 74)}`,
  "OpenAI, service account": (draw) => `sk-${"svcacct"}-${draw(word, 120)}x`,
  "OpenAI, admin": (draw) => `sk-${"admin"}-${draw(word, 58)}T3Blbk${"FJ"}${draw(word, 58)}`,
  Anthropic: (draw) => `sk-${"ant"}-api03-${draw(word, 93)}AA`,
  "Anthropic, login": (draw) => `sk-${"ant"}-oat01-${draw(word, 93)}AA`,
  "Anthropic, session": (draw) => `sk-${"ant"}-sid01-${draw(word, 93)}AA`,
  OpenRouter: (draw) => `sk-${"or"}-v1-${draw(hexadecimal, 64)}`,
  DeepSeek: (draw) => `sk-${draw(hexadecimal, 32)}`,
  Langfuse: (draw) => `sk-${"lf"}-${uuid(draw)}`,
  Google: (draw) => `AI${"za"}${draw(word, 35)}`,
  "Google, login": (draw) => `ya${"29"}.a0${draw(word, 120)}`,
  "Google, client": (draw) => `GOC${"SPX"}-${draw(word, 28)}`,
  Groq: (draw) => `gs${"k_"}${draw(any, 52)}`,
  xAI: (draw) => `xa${"i-"}${draw(any, 80)}`,
  "Hugging Face": (draw) => `h${"f_"}${draw(letters, 34)}`,
  Perplexity: (draw) => `pp${"lx-"}${draw(any, 48)}`,
  Replicate: (draw) => `r${"8_"}${draw(any, 37)}`,
  Fireworks: (draw) => `f${"w_"}${draw(any, 24)}`,
  Cerebras: (draw) => `cs${"k-"}${draw(small + figures, 48)}`,
  Tavily: (draw) => `tv${"ly-"}dev-${draw(any, 32)}`,
  LangSmith: (draw) => `ls${"v2_"}pt_${draw(hexadecimal, 32)}_${draw(hexadecimal, 10)}`,
  NVIDIA: (draw) => `nv${"api-"}${draw(word, 63)}x`,
  Voyage: (draw) => `p${"a-"}${draw(any, 43)}`,
  Pinecone: (draw) => `pc${"sk_"}${draw(any, 5)}_${draw(any, 63)}`,
  "Google, express": (draw) => `A${"Q."}Ab8${draw(word, 48)}x`,
  Helicone: (draw) =>
    `sk-${"helicone"}-${[7, 7, 7, 7].map((length) => draw(small + figures, length)).join("-")}`,
  Firecrawl: (draw) => `f${"c-"}${draw(hexadecimal, 32)}`,
  Mem0: (draw) => `m${"0-"}${draw(any, 40)}`,
  LlamaCloud: (draw) => `ll${"x-"}${draw(any, 48)}`,
  "Weights & Biases": (draw) => `wandb${"_v1_"}${draw(any, 77)}`,
  Apify: (draw) => `apify${"_api_"}${draw(any, 36)}`,
  Voiceflow: (draw) => `V${"F."}DM.${draw(hexadecimal, 24)}.${draw(any, 16)}`,
  Tencent: (draw) => `AK${"ID"}${draw(any, 32)}`,
  Volcengine: (draw) => `AK${"LT"}${draw(any, 44)}`,
  "Yandex Cloud": (draw) => `AQ${"VN"}${draw(word, 35)}x`,
  Yandex: (draw) => `y${"0_"}${draw(word, 57)}x`,
  "Cloudflare, account": (draw) => `cf${"at_"}${draw(any, 40)}${draw(hexadecimal, 8)}`,
  Neon: (draw) => `na${"pi_"}${draw(small + figures, 64)}`,
  Deno: (draw) => `dd${"p_"}${draw(any, 36)}`,
  Ory: (draw) => `ory${"_pat_"}${draw(word, 42)}x`,
  "Artifactory, reference": (draw) => `cmVm${"dGtu"}${draw(any, 56)}`,
  Bitbucket: (draw) => `AT${"BB"}${draw(any, 32)}`,
  "Bitbucket, server": (draw) => `BB${"DC-"}${draw(any, 44)}`,
  Buildkite: (draw) => `bk${"ua_"}${draw(hexadecimal, 40)}`,
  NuGet: (draw) => `oy${"2"}${draw(small + figures, 43)}`,
  "crates.io": (draw) => `ci${"o"}${draw(any, 32)}`,
  Clojars: (draw) => `CLO${"JARS_"}${draw(small + figures, 60)}`,
  Octopus: (draw) => `AP${"I-"}${draw(large + figures, 26)}`,
  Infracost: (draw) => `ic${"o-"}${draw(any, 32)}`,
  Resend: (draw) => `r${"e_"}${draw(any, 8)}_${draw(any, 24)}`,
  Zapier: (draw) =>
    `https://hooks.${"zapier"}.com/hooks/catch/${draw(figures, 8)}/${draw(small + figures, 12)}`,
  "Figma, plan": (draw) => `fi${"gp_"}${draw(word, 42)}x`,
  SonarCloud: (draw) => `sq${"co_"}${draw(any, 59)}`,
  Shippo: (draw) => `shippo${"_live_"}${draw(hexadecimal, 40)}`,
  EasyPost: (draw) => `EZ${"AK"}${draw(any, 54)}`,
  Duffel: (draw) => `duffel${"_live_"}${draw(word, 42)}x`,
  Flutterwave: (draw) => `FLW${"SECK"}-${draw(hexadecimal, 32)}-X`,
  Razorpay: (draw) => `rzp${"_live_"}${draw(any, 14)}`,
  Ramp: (draw) => `ramp${"_sec_"}${draw(any, 48)}`,
  Salesforce: (draw) => `3MV${"G9"}${draw(any, 84)}`,
  Rootly: (draw) => `root${"ly_"}${draw(hexadecimal, 64)}`,
  Mapbox: (draw) => `s${"k.ey"}J${draw(any, 60)}.${draw(any, 22)}`,
  "Frame.io": (draw) => `fio${"-u-"}${draw(word, 63)}x`,
  Airtable: (draw) => `pa${"t"}${draw(any, 14)}.${draw(hexadecimal, 64)}`,
  Zoho: (draw) => `100${"0"}.${draw(hexadecimal, 32)}.${draw(hexadecimal, 32)}`,
  "AWS, id": (draw) => `AK${"IA"}${draw("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`,
  DigitalOcean: (draw) => `do${"p_v1"}_${draw(hexadecimal, 64)}`,
  Databricks: (draw) => `da${"pi"}${draw(hexadecimal, 32)}`,
  Heroku: (draw) => `HR${"KU-"}AA${draw(word, 58)}`,
  "Fly.io": (draw) => `fo${"1_"}${draw(word, 43)}`,
  Vercel: (draw) => `vc${"p_"}${draw(any, 56)}`,
  Netlify: (draw) => `nf${"p_"}${draw(any, 36)}`,
  Supabase: (draw) => `sb${"p_"}${draw(hexadecimal, 40)}`,
  Vault: (draw) => `hv${"s."}${draw(any, 95)}`,
  age: (draw) => `AGE-${"SECRET"}-KEY-1${draw("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`,
  "1Password": (draw) => `op${"s_"}eyJ${draw(any, 260)}`,
  "GitHub, classic": (draw) => `gh${"p_"}${draw(any, 36)}`,
  "GitHub, app": (draw) => `gh${"o_"}${draw(any, 36)}`,
  "GitHub, fine-grained": (draw) => `github${"_pat_"}${draw(any, 22)}_${draw(any, 59)}`,
  GitLab: (draw) => `gl${"pat-"}${draw(any, 20)}`,
  npm: (draw) => `np${"m_"}${draw(any, 36)}`,
  PyPI: (draw) => `py${"pi-"}AgEIcHlwaS5vcmc${draw(word, 150)}`,
  Docker: (draw) => `dckr${"_pat_"}${draw(word, 26)}x`,
  "Slack, bot": (draw) => `xo${"xb-"}${draw(figures, 12)}-${draw(figures, 12)}-${draw(any, 24)}`,
  "Slack, app": (draw) =>
    `xa${"pp-"}1-A${draw(large + figures, 10)}-${draw(figures, 13)}-${draw(hexadecimal, 64)}`,
  "Slack, webhook": (draw) =>
    `https://hooks.${"slack"}.com/services/T${draw(large + figures, 8)}/B${draw(large + figures, 8)}/${draw(any, 24)}`,
  "Discord, bot": (draw) => `M${draw(any, 25)}.${draw(any, 6)}.${draw(any, 38)}`,
  "Discord, webhook": (draw) => `https://${"discord"}.com/api/webhooks/${draw(figures, 18)}/${draw(any, 68)}`,
  Telegram: (draw) => `${draw("123456789", 10)}:A${"A"}${draw(any, 33)}`,
  SendGrid: (draw) => `S${"G."}${draw(any, 22)}.${draw(any, 43)}`,
  "Twilio, key": (draw) => `S${"K"}${draw(hexadecimal, 32)}`,
  Mailgun: (draw) => `ke${"y-"}${draw(hexadecimal, 32)}`,
  Linear: (draw) => `lin${"_api_"}${draw(any, 40)}`,
  Notion: (draw) => `nt${"n_"}${draw(figures, 11)}${draw(any, 35)}`,
  Stripe: (draw) => `sk${"_live_"}${draw(any, 99)}`,
  "Stripe, restricted": (draw) => `rk${"_live_"}${draw(any, 24)}`,
  "Stripe, webhook": (draw) => `wh${"sec_"}${draw(any, 32)}`,
  Shopify: (draw) => `shp${"at_"}${draw(hexadecimal, 32)}`,
  Square: (draw) => `sq0${"atp-"}${draw(any, 22)}`,
  "New Relic": (draw) => `NR${"AK-"}${draw(large + figures, 27)}`,
  Grafana: (draw) => `gl${"sa_"}${draw(any, 32)}_${draw(hexadecimal, 8)}`,
  Atlassian: (draw) => `ATA${"TT3"}${draw(any, 186)}`,
  Terraform: (draw) => `${draw(any, 14)}.atlas${"v1"}.${draw(any, 66)}`,
  "JSON Web Token": (draw) => `ey${"J"}${draw(any, 34)}.ey${"J"}${draw(any, 80)}.${draw(any, 43)}`,
};

/** Told by what stands before them. */
const named: Readonly<
  Record<string, (draw: Draw) => readonly [secret: string, text: (secret: string) => string]>
> = {
  "AWS, secret": (draw) => [draw(base64, 40), (it) => `AWS_SECRET_ACCESS_KEY=${it}`],
  "Azure OpenAI": (draw) => [draw(hexadecimal, 32), (it) => `export AZURE_OPENAI_API_KEY=${it}`],
  Mistral: (draw) => [draw(any, 32), (it) => `MISTRAL_API_KEY="${it}"`],
  Cohere: (draw) => [draw(any, 40), (it) => `$env:COHERE_API_KEY = '${it}'`],
  Together: (draw) => [draw(hexadecimal, 64), (it) => `together_api_key: ${it}`],
  Datadog: (draw) => [draw(hexadecimal, 32), (it) => `DD-API-KEY: ${it}`],
  PagerDuty: (draw) => [draw(any, 20), (it) => `PAGERDUTY_TOKEN=${it}`],
  Okta: (draw) => [`00${draw(any, 40)}`, (it) => `Authorization: SSWS ${it}`],
  Auth0: (draw) => [draw(word, 64), (it) => `AUTH0_CLIENT_SECRET=${it}`],
  Cloudflare: (draw) => [draw(any, 40), (it) => `CLOUDFLARE_API_TOKEN: "${it}"`],
  Railway: (draw) => [uuid(draw), (it) => `RAILWAY_TOKEN=${it}`],
  Postmark: (draw) => [uuid(draw), (it) => `X-Postmark-Server-Token: ${it}`],
  "Twilio, token": (draw) => [draw(hexadecimal, 32), (it) => `TWILIO_AUTH_TOKEN=${it}`],
  "Azure storage": (draw) => [
    `${draw(base64, 86)}==`,
    (it) =>
      `DefaultEndpointsProtocol=https;AccountName=logs;AccountKey=${it};EndpointSuffix=core.windows.net`,
  ],
  "Azure SAS": (draw) => [
    draw(any, 43),
    (it) => `https://logs.blob.core.windows.net/runs?sv=2024-11-04&sp=r&sig=${it}%3D`,
  ],
  Sentry: (draw) => [draw(hexadecimal, 32), (it) => `https://${it}@o450.ingest.sentry.io/42`],
  PostgreSQL: (draw) => [draw(any, 14), (it) => `postgres://app:${it}@db.example.net:5432/shop`],
  "a mail server": (draw) => [draw(any, 12), (it) => `smtp://mailer:${it}@mail.example.net`],
  Redis: (draw) => [draw(any, 18), (it) => `redis://:${it}@cache.example.net:6379/0`],
  JDBC: (draw) => [draw(any, 14), (it) => `jdbc:postgresql://db.example.net/shop?user=app&password=${it}`],
  "SQL Server": (draw) => [
    draw(any, 14),
    (it) => `Server=db;Database=shop;User Id=app;Password=${it};Encrypt=true`,
  ],
  "a bearer token": (draw) => [draw(any, 30), (it) => `Authorization: Bearer ${it}`],
  "a basic login": (draw) => [draw(base64, 40), (it) => `authorization: Basic ${it}`],
  "an API key header": (draw) => [
    draw(any, 30),
    (it) => `curl -H "x-api-key: ${it}" https://host.example/v1`,
  ],
  "a login of curl": (draw) => [draw(any, 16), (it) => `curl -u admin:${it} https://host.example/v1`],
  "a proxy login": (draw) => [draw(base64, 24), (it) => `Proxy-Authorization: Basic ${it}`],
  "a cookie": (draw) => [draw(any, 30), (it) => `Set-Cookie: session=${it}; Path=/; HttpOnly`],
  ".npmrc": (draw) => [draw(hexadecimal, 36), (it) => `//registry.example.net/:_authToken=${it}`],
  ".netrc": (draw) => [draw(any, 16), (it) => `machine api.example.net login app password ${it}`],
  "a Docker login": (draw) => [
    btoa(`robot:${draw(any, 24)}`),
    (it) => JSON.stringify({ auths: { "registry.example.net": { auth: it } } }),
  ],
  "a kubeconfig": (draw) => [
    draw(base64, 200),
    (it) => `users:\n- name: admin\n  user:\n    client-key-data: ${it}\n`,
  ],
  "a member of JSON": (draw) => [
    draw(any, 20),
    (it) => JSON.stringify({ user: "app", password: it, port: 5432 }),
  ],
  "a setting in YAML": (draw) => [draw(any, 12), (it) => `database:\n  user: app\n  password: ${it}\n`],
  "an environment of Kubernetes": (draw) => [
    draw(any, 20),
    (it) => `env:\n- name: DB_PASSWORD\n  value: ${it}\n`,
  ],
  XML: (draw) => [
    draw(any, 14),
    (it) => `<server><username>app</username><password>${it}</password></server>`,
  ],
  "a flag": (draw) => [draw(any, 24), (it) => `deploy --api-key ${it} --region eu`],
  "a header of a HAR": (draw) => [
    draw(any, 30),
    (it) => JSON.stringify({ name: "x-goog-api-key", value: it }),
  ],
  "the key of an address": (draw) => [
    draw(any, 30),
    (it) => `GET https://host.example/v1/models?key=${it}&alt=sse`,
  ],
};

const armours = [
  "RSA PRIVATE KEY",
  "EC PRIVATE KEY",
  "OPENSSH PRIVATE KEY",
  "PRIVATE KEY",
  "ENCRYPTED PRIVATE KEY",
  "PGP PRIVATE KEY BLOCK",
];

/** A private key in its armour. */
function privateKey(draw: Draw, armour: string): string {
  const lines = Array.from({ length: 6 }, () => draw(base64, 64)).join("\n");
  return `-----${"BEGIN"} ${armour}-----\n${lines}\n-----${"END"} ${armour}-----`;
}

/** Every kind once. */
export const leaks: readonly Leak[] = [
  ...Object.entries(issued).map(([kind, made], index): Leak => {
    const secret = made(lot(index + 1));
    return {
      kind,
      // Of a webhook's address, the last part is secret.
      secret: secret.replace(/^https:.*\//, ""),
      text: secret,
    };
  }),
  ...Object.entries(named).map(([kind, made], index): Leak => {
    const [secret, text] = made(lot(index + 1001));
    return { kind, secret, text: text(secret), needsName: true };
  }),
  ...armours.map((armour, index): Leak => {
    const text = privateKey(lot(index + 2001), armour);
    return { kind: armour, secret: text.split("\n").slice(1, -1).join(""), text };
  }),
  ((): Leak => {
    const key = privateKey(lot(3001), "PRIVATE KEY");
    return {
      kind: "a service account",
      secret: key.split("\n").slice(1, -1).join(""),
      text: JSON.stringify({ type: "service_account", project_id: "shop", private_key: `${key}\n` }),
    };
  })(),
];

/** A part of a secret that a text shows, of `least` characters; where `step` is larger than 1, found by samples. */
export function shownPart(text: string, secret: string, least = 9, step = 1): string | undefined {
  for (let at = 0; at + least <= secret.length; at += step) {
    const part = secret.slice(at, at + least);
    if (text.includes(part)) return part;
  }
  return undefined;
}
