/** `import()` of the context in which this file was loaded. The build makes it a file of its own. */
module.exports = (url: string): Promise<unknown> => import(url);
