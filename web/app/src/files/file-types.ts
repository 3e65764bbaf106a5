/** File name extensions that the server can import. */
export const FILE_TYPES = ".csv,.tsv,.txt,.xlsx,.xlsm,.xls,.xlsb,.ods,.json";
