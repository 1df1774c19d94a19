/** A kind of credential that one can tell by how it begins. */
export interface IssuedKind {
  /** What it is called in a finding: `a GitHub token`. */
  readonly kind: string;
  /** How it begins; the separator at the end belongs to it. */
  readonly start: string;
  /** What follows its beginning, made when first asked for: most runs meet no beginning. */
  forms(): IssuedForms;
}

/** What follows the beginning of a credential. */
export interface IssuedForms {
  /** As its issuer documents it. */
  readonly exact: RegExp;
  /** In a credential of another length or form; it counts only if it looks drawn by lot. */
  readonly loose: RegExp;
}

/** The kind, its beginnings, what follows exactly; the characters of other forms and their least count. */
type Row = readonly [kind: string, starts: string, exact: string, characters?: string, least?: number];

const word = "[\\w-]";
const plain = "[A-Za-z0-9]";
const hex = "[0-9a-fA-F]";

/**
 * Credentials as their issuers document them. Every expression is one run of characters of a bounded length,
 * so matching is linear. The facts are public: the issuers' own pages and the rule lists of the secret
 * scanners.
 *
 * @see https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml
 * @see https://github.com/trufflesecurity/trufflehog/tree/main/pkg/detectors
 * @see https://docs.github.com/en/code-security/reference/secret-security/supported-secret-scanning-patterns
 */
const rows: readonly Row[] = [
  // Models.
  ["an Anthropic API key", "sk-ant-", `[a-z]{3,6}\\d{2}-${word}{60,160}`],
  ["an OpenRouter API key", "sk-or-v1-", `${hex}{64}`],
  ["a Langfuse secret key", "sk-lf-", `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`, word, 8],
  ["an OpenAI API key", "sk-proj- sk-svcacct- sk-admin- sk-service-", `${word}{40,200}`],
  ["an OpenAI API key", "sk-", `${plain}{48}|${plain}{20}T3BlbkFJ${plain}{20}`],
  ["a Google API key", "AIza", `${word}{35}`],
  ["a Google API key", "AQ.Ab8", `${word}{40,60}`],
  ["a Google access token", "ya29.", `(?:[ac]\\.)?${word}{60,2000}`, "[\\w.-]", 20],
  ["a Google client secret", "GOCSPX-", `${word}{28}`],
  ["a Google refresh token", "1//0", `[a-z]?${word}{60,200}`, word, 30],
  ["an Amazon Bedrock API key", "ABSK", "[A-Za-z0-9+/]{109,269}={0,2}", "[A-Za-z0-9+/=]", 40],
  ["an Amazon Bedrock API key", "bedrock-api-key-", "[A-Za-z0-9+/=]{60,4000}", "[A-Za-z0-9+/=]", 16],
  ["a Groq API key", "gsk_", `${plain}{52}`, plain, 20],
  ["an xAI API key", "xai-", `${plain}{80}`, plain, 40],
  ["a Hugging Face token", "hf_ api_org_", "[A-Za-z]{34}", plain, 30],
  ["a Perplexity API key", "pplx-", `${plain}{48}`, plain, 20],
  ["a Replicate token", "r8_", `${word}{37}`, word, 30],
  ["a Fireworks API key", "fw_", `${plain}{22,24}`, plain, 20],
  ["a Cerebras API key", "csk-", "[a-z0-9]{48}", plain, 24],
  ["a Tavily API key", "tvly-", `(?:(?:dev|prod)-)?${word}{32,64}`],
  ["a LangSmith API key", "lsv2_pt_ lsv2_sk_", `${hex}{32}_${hex}{10}`],
  ["an NVIDIA API key", "nvapi-", `${word}{64}`],
  ["a Voyage API key", "pa-", `${word}{43}`, word, 43],
  ["a Pinecone API key", "pcsk_", `${plain}{5,6}_${plain}{63}`],
  ["a Jina API key", "jina_", `${hex}{32}${word}{28}`],
  ["a Together API key", "tgp_v1_", `${word}{43}`],
  ["an ElevenLabs API key", "sk_", `${hex}{48}`, hex, 32],
  ["an E2B API key", "e2b_", `${hex}{40}`],
  ["a Browserbase API key", "bb_live_", `${word}{27,40}`],
  ["a Helicone API key", "sk-helicone-", "(?:[a-z]{2}-)?[a-z0-9]{7}(?:-[a-z0-9]{7}){3}"],
  ["a Mem0 API key", "m0-", `${plain}{40}`, plain, 30],
  ["a LlamaCloud API key", "llx-", `${plain}{48}`, plain, 30],
  ["a Weights & Biases key", "wandb_v1_", `${word}{40,100}`],
  ["an Apify token", "apify_api_", `${plain}{36}`],
  ["a Voiceflow key", "VF.", `(?:(?:DM|WS)\\.)?${hex}{24}\\.${plain}{16}`, "[\\w.]", 40],
  // Clouds and hosts.
  ["an AWS access key", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}", "[0-9A-Z]", 16],
  ["an Alibaba Cloud key", "LTAI", `${plain}{20}`, plain, 16],
  ["a Tencent Cloud key", "AKID", `${plain}{32}`, plain, 28],
  ["a Volcengine key", "AKLT", `${word}{40,60}={0,2}`, word, 36],
  ["a Yandex Cloud key", "AQVN", `${word}{35,38}`, word, 30],
  ["a Yandex token", "y0_", `${word}{50,100}`, word, 40],
  ["a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", `${hex}{64}`],
  ["a Databricks token", "dapi", `${hex}{32}(?:-\\d)?`, hex, 32],
  ["a Heroku API key", "HRKU-", `AA${word}{58}`],
  ["a Fly.io token", "fo1_", `${word}{43}`],
  ["a Fly.io token", "fm1r_ fm1a_ fm2_", "[A-Za-z0-9+/]{100,1000}={0,3}", "[A-Za-z0-9+/=]", 30],
  ["a Vercel token", "vcp_ vck_ vca_ vcr_ vci_", `${plain}{24,80}`, plain, 20],
  ["a Netlify token", "nfp_ nfc_ nfo_ nfb_ nfu_", `${word}{36,40}`, word, 30],
  ["a Cloudflare token", "cfut_ cfat_ cfk_", `${plain}{40}${hex}{8}`, plain, 30],
  ["a Neon API key", "napi_", "[a-z0-9]{64}", plain, 40],
  ["a Deno token", "ddp_ ddw_", `${plain}{36}`, plain, 30],
  ["an Ory token", "ory_at_ ory_pat_ ory_st_", `${word}{40,100}`, word, 30],
  ["a Cloudflare origin key", "v1.0-", `${hex}{24}-${hex}{146}`],
  ["a Supabase token", "sbp_", `(?:v0_)?${hex}{40}`],
  ["a Supabase secret key", "sb_secret_", `${word}{31}`],
  ["a PlanetScale credential", "pscale_tkn_ pscale_oauth_ pscale_pw_", "[\\w=.-]{32,64}"],
  ["a Pulumi token", "pul-", `${hex}{40}`, hex, 32],
  [
    "a Doppler token",
    "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
    `(?:[a-z0-9_-]{2,35}\\.)?${plain}{40,44}`,
  ],
  ["a Vault token", "hvs. hvb. hvr.", `${word}{90,300}`, word, 20],
  ["a Dynatrace token", "dt0c01.", "[A-Z2-7]{24}\\.[A-Z2-7]{64}", "[A-Z0-9.]", 24],
  ["an OpenShift token", "sha256~", `${word}{43}`, word, 40],
  ["a Tailscale key", "tskey-", `(?:auth|api|client|scim|webhook)-${plain}{10,20}-${plain}{20,40}`],
  ["a 1Password token", "ops_", "eyJ[A-Za-z0-9+/]{250,4000}={0,3}", "[\\w=+/-]", 40],
  [
    "a 1Password secret key",
    "A3-",
    "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
    "[A-Z0-9-]",
    30,
  ],
  ["an age secret key", "AGE-SECRET-KEY-", "1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", "[A-Z0-9]", 20],
  // Code and packages.
  ["a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", `${plain}{36,251}`, plain, 30],
  ["a GitHub token", "github_pat_", `${plain}{22}_${plain}{59}`, "\\w", 30],
  ["a GitLab token", "glpat-", `${word}{20,300}(?:\\.[0-9a-z]{2}\\.?[0-9a-z]{7})?`],
  [
    "a GitLab token",
    "gldt- glrt- glptt- glft- glsoat- glcbt- glimt- glagent- gloas- glffct- glrtr-",
    `(?:\\w{1,5}_)?${word}{20,300}`,
  ],
  ["a GitLab token", "GR1348941", `${word}{20}`],
  ["an npm token", "npm_", `${plain}{36}`, plain, 30],
  ["a PyPI token", "pypi-", `AgE${word}{50,300}`],
  ["a RubyGems key", "rubygems_", `${hex}{48}`, hex, 32],
  ["a Docker token", "dckr_pat_ dckr_oat_", `${word}{27,40}`],
  ["a CircleCI token", "CCIPAT_ CCIPRJ_", `${plain}{22}_${hex}{40}`],
  ["a Sonar token", "sqp_ squ_ sqa_", `${hex}{40}`, hex, 32],
  ["a Sonar token", "sqco_", `${plain}{59}`, plain, 40],
  ["an Artifactory key", "AKCp", `${plain}{69}`, plain, 40],
  ["an Artifactory token", "cmVmdGtu", `${plain}{56}`, plain, 50],
  ["a Bitbucket password", "ATBB", "[\\w=.-]{32}", "[\\w=.-]", 28],
  ["a Bitbucket token", "BBDC-", "[A-Za-z0-9+/@_-]{40,50}", word, 30],
  ["a Buildkite token", "bkua_", `${hex}{40}`, plain, 32],
  ["a NuGet key", "oy2", "[a-z0-9]{43}", "[a-z0-9]", 43],
  ["a crates.io token", "cio", `${plain}{32}`, plain, 32],
  ["a Clojars token", "CLOJARS_", `${plain}{60}`, plain, 40],
  ["an Octopus key", "API-", "[A-Z0-9]{26}", "[A-Z0-9]", 26],
  ["an Infracost key", "ico-", `${plain}{32}`, plain, 32],
  ["an Atlassian token", "ATATT3 ATCTT3 ATSTT3", "[\\w=-]{180,220}", "[\\w=-]", 30],
  ["a Postman key", "PMAK-", `${hex}{24}-${hex}{34}`, "[0-9a-fA-F-]", 32],
  ["a Sourcegraph token", "sgp_", `(?:${hex}{16}_|local_)?${hex}{40}`],
  // Messages, mail and people.
  [
    "a Slack token",
    "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxo- xoxc- xoxd-",
    `\\d{8,14}-${word}{16,200}|\\d-[A-Za-z0-9]{100,200}`,
    "[A-Za-z0-9%-]",
    10,
  ],
  ["a Slack token", "xapp- xwfp-", "\\d-[A-Z0-9]{6,20}-\\d{8,20}-[a-z0-9]{20,100}", "[A-Za-z0-9-]", 16],
  [
    "a Slack webhook",
    "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
    "[A-Z0-9]{8,12}/[A-Z0-9]{8,20}/[A-Za-z0-9/]{16,64}",
    "[A-Za-z0-9/]",
    12,
  ],
  [
    "a Discord webhook",
    "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
    `\\d{17,20}/${word}{60,100}`,
    "[\\w/-]",
    30,
  ],
  ["a Teams webhook", "webhook.office.com/webhookb2/", "[\\w@/-]{60,250}", "[\\w@/-]", 30],
  ["a SendGrid key", "SG.", `${word}{20,24}\\.${word}{39,50}`, "[\\w.-]", 30],
  ["a Mailgun key", "key-", `${hex}{32}`, hex, 32],
  ["a Brevo key", "xkeysib- xsmtpsib-", `${hex}{64}-${plain}{16}`],
  ["a Resend key", "re_", `${plain}{8}_${plain}{24}`, "\\w", 32],
  ["a Zapier webhook", "hooks.zapier.com/hooks/catch/", "[A-Za-z0-9/]{10,40}", "[A-Za-z0-9/]", 10],
  ["a Linear key", "lin_api_ lin_oauth_", `${plain}{40,64}`],
  ["a Notion token", "ntn_", `\\d{11}${plain}{35}`, plain, 30],
  ["a Notion token", "secret_", `${plain}{43}`, plain, 40],
  ["a Figma token", "figd_ figo_ figu_ figp_", `${word}{40}`, word, 30],
  [
    "a HubSpot token",
    "pat-na1- pat-eu1- pat-na2- pat-ap1-",
    `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`,
  ],
  ["a Dropbox token", "sl.", `(?:u\\.)?${word}{130,2000}`, word, 100],
  ["a Typeform token", "tfp_", "[\\w.=-]{40,70}"],
  ["a Mapbox token", "sk.eyJ", "[\\w.-]{60,240}", "[\\w.-]", 40],
  ["a Frame.io token", "fio-u-", "[\\w=-]{64}"],
  ["a Contentful token", "CFPAT-", `${word}{43}`],
  ["a Readme key", "rdme_", "[a-z0-9]{70}"],
  ["a Prefect key", "pnu_", `${plain}{36}`, plain, 30],
  // Money.
  ["a Stripe key", "sk_live_ rk_live_ sk_prod_ rk_prod_", `${plain}{24,247}`, plain, 16],
  ["a Stripe test key", "sk_test_ rk_test_", `${plain}{24,247}`, plain, 16],
  ["a Stripe webhook secret", "whsec_", "[A-Za-z0-9+/]{32,64}={0,2}", "[A-Za-z0-9+/=]", 20],
  ["a Shopify token", "shpat_ shpca_ shppa_ shpss_ shptka_", `${hex}{32}`, hex, 28],
  ["a Square token", "EAAA", `${word}{60}`, word, 40],
  ["a Square token", "sq0atp- sq0csp- sq0idp-", `${word}{22,60}`],
  ["a Facebook token", "EAAC EAAM EAAB EAAG", `${plain}{100,400}`, plain, 60],
  [
    "a Plaid token",
    "access-production- access-development- access-sandbox-",
    `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`,
  ],
  ["a Shippo token", "shippo_live_ shippo_test_", `${hex}{40}`, hex, 32],
  ["an EasyPost key", "EZAK EZTK", `${plain}{54}`, plain, 40],
  ["a Duffel token", "duffel_live_ duffel_test_", "[\\w=-]{43}"],
  ["a Flutterwave key", "FLWSECK- FLWSECK_TEST-", `${hex}{32}-X`, "[A-Za-z0-9-]", 32],
  ["a Razorpay key", "rzp_live_", `${plain}{14}`, plain, 14],
  ["a Ramp secret", "ramp_sec_", `${plain}{48}`, plain, 30],
  ["a Salesforce secret", "3MVG9 5AEP861", "[\\w.+/=]{80,251}", "[\\w.]", 60],
  // Watching.
  ["a New Relic key", "NRAK- NRII- NRIQ- NRRA- NRJS-", "[A-Za-z0-9-]{19,42}", "[A-Za-z0-9-]", 19],
  ["a Grafana token", "glsa_", `${plain}{32}_${hex}{8}`, "\\w", 30],
  ["a Grafana token", "glc_", "[A-Za-z0-9+/]{32,400}={0,3}", "[A-Za-z0-9+/=]", 30],
  ["a Sentry token", "sntrys_ sntryu_", "[A-Za-z0-9+/=_]{60,500}", "[A-Za-z0-9+/=_]", 30],
  ["a PostHog key", "phx_ phs_", `${plain}{40,50}`, plain, 30],
  ["a Rootly key", "rootly_", `${hex}{64}`, hex, 32],
];

/** Bounds the work at each beginning: runs may begin anew at every third character. */
export const longestLoose = 400;

/** All kinds, those with the longest beginnings first. */
export const issuedKinds: readonly IssuedKind[] = rows
  .flatMap(([kind, starts, exact, characters = word, least = 16]) => {
    let made: IssuedForms | undefined;
    const forms = () => {
      made ??= {
        // A credential ends where its characters end; a longer run is something else.
        exact: new RegExp(`(?:${exact})(?![A-Za-z0-9])`, "y"),
        loose: new RegExp(`${characters}{${least},${longestLoose}}|${characters}{3,${least}}(?=…)`, "y"),
      };
      return made;
    };
    return starts.split(" ").map((start) => ({ kind, start, forms }));
  })
  .sort((a, b) => b.start.length - a.start.length);
