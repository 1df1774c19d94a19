/** The version of this package. */
export const version: string = __VERSION__;
