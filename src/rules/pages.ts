

/** The page of each rule, by its id: documentation, test and the text of `explain` in one. */
export const pages: Readonly<Record<string, string>> = {

};
