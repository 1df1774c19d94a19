import { defineConfig } from "vitest/config";
import { define, vitePlugin } from "./build.mjs";

export default defineConfig({
  define,
  plugins: [vitePlugin],
  test: {
    include: ["test/**/*.test.ts"],
    pool: "threads",
    isolate: false,
    // A busy machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
