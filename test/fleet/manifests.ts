/**
 * What Kubernetes, AWS Batch and GitHub take, as far as the recipes use it: a misspelt member is refused.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/
 * @see https://docs.aws.amazon.com/batch/latest/APIReference/API_SubmitJob.html
 * @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
 */
const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text, minItems: 1 };
const count = { type: "integer", minimum: 0 };

function only(properties: Readonly<Record<string, object>>, ...required: string[]) {
  return { type: "object", additionalProperties: false, properties, required };
}

const container = only(
  {
    ...{ name: text, image: text, command: texts, args: texts, workingDir: text },
    imagePullPolicy: { enum: ["Always", "IfNotPresent", "Never"] },
    env: { type: "array", items: only({ name: text, value: { type: "string" } }, "name") },
    volumeMounts: {
      type: "array",
      items: only({ name: text, mountPath: text, readOnly: { type: "boolean" } }, "name", "mountPath"),
    },
  },
  "name",
  "image",
);

const volume = only(
  {
    name: text,
    persistentVolumeClaim: only({ claimName: text, readOnly: { type: "boolean" } }, "claimName"),
  },
  "name",
);

/** A Job of Kubernetes, `batch/v1`. */
export const kubernetesJob = only(
  {
    apiVersion: { const: "batch/v1" },
    kind: { const: "Job" },
    metadata: only(
      { name: { type: "string", pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", maxLength: 63 } },
      "name",
    ),
    spec: {
      ...only(
        {
          ...{ completions: count, parallelism: count, backoffLimit: count, activeDeadlineSeconds: count },
          ...{ backoffLimitPerIndex: count, maxFailedIndexes: count, ttlSecondsAfterFinished: count },
          completionMode: { enum: ["NonIndexed", "Indexed"] },
          suspend: { type: "boolean" },
          template: only(
            {
              spec: only(
                {
                  // A Job takes no `Always`.
                  restartPolicy: { enum: ["Never", "OnFailure"] },
                  containers: { type: "array", minItems: 1, items: container },
                  volumes: { type: "array", items: volume },
                },
                "containers",
                "restartPolicy",
              ),
            },
            "spec",
          ),
        },
        "template",
      ),
      // An Indexed Job needs its number of completions.
      if: { properties: { completionMode: { const: "Indexed" } }, required: ["completionMode"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["completions"] },
    },
  },
  "apiVersion",
  "kind",
  "metadata",
  "spec",
);

/** What `aws batch submit-job --cli-input-json` takes. */
export const awsBatchJob = only(
  {
    jobName: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$" },
    ...{ jobQueue: text, jobDefinition: text },
    arrayProperties: only({ size: { type: "integer", minimum: 2, maximum: 10_000 } }),
    dependsOn: {
      type: "array",
      maxItems: 20,
      items: only({ jobId: text, type: { enum: ["N_TO_N", "SEQUENTIAL"] } }),
    },
    parameters: { type: "object", additionalProperties: text },
    retryStrategy: only({ attempts: { type: "integer", minimum: 1, maximum: 10 } }),
    timeout: only({ attemptDurationSeconds: { type: "integer", minimum: 60 } }),
    containerOverrides: only({
      command: texts,
      instanceType: text,
      environment: { type: "array", items: only({ name: text, value: text }) },
    }),
  },
  "jobName",
  "jobQueue",
  "jobDefinition",
);

const step = {
  ...only({
    name: text,
    id: text,
    if: text,
    uses: text,
    run: text,
    with: { type: "object" },
    env: { type: "object" },
  }),
  oneOf: [{ required: ["uses"] }, { required: ["run"] }],
};

/** A workflow of GitHub Actions. */
export const githubWorkflow = only(
  {
    name: text,
    on: { type: ["string", "array", "object"] },
    jobs: {
      type: "object",
      additionalProperties: only(
        {
          ...{ name: text, needs: { type: ["string", "array"] }, if: text, "runs-on": text },
          strategy: only({
            matrix: { type: "object", additionalProperties: { type: "array", minItems: 1, maxItems: 256 } },
            "fail-fast": { type: "boolean" },
          }),
          steps: { type: "array", minItems: 1, items: step },
        },
        "runs-on",
        "steps",
      ),
    },
  },
  "on",
  "jobs",
);
