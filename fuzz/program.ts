/** The program and the library as one module: apart, as they are built, they take an eighth longer to run. */
export { main } from "../src/cli/main.ts";
export { check, fix, read } from "../src/index.ts";
