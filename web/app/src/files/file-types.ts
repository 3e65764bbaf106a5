/** Formats that the server reads. */
export const FILE_TYPES = ".csv,.tsv,.txt,.xlsx,.ods,.json";
