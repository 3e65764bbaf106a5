/** File name extensions that can be imported; the last ones are those of files with columns, which the client converts. */
export const FILE_TYPES = ".csv,.tsv,.txt,.xlsx,.xlsm,.xls,.xlsb,.ods,.json,.parquet,.arrow,.arrows,.feather,.ipc";
