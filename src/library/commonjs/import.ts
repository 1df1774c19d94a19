/** `import()` of the context in which this file was loaded. The build makes it a file of its own. */
export const importHere = (url: string): Promise<unknown> => import(url);
