// A server that speaks the protocol of S3, with one bucket: `node s3-server.mjs PACKAGE.JSON DIRECTORY BUCKET
// [PORT]`. It writes its port as a line, and ends with its standard input.

import { createRequire } from "node:module";

const [, , folder, directory, bucket, port = "0"] = process.argv;
const S3rver = createRequire(folder)("s3rver");
const options = { address: "127.0.0.1", port: Number(port), silent: true, directory, configureBuckets: [{ name: bucket }] };
const address = await new S3rver(options).run();
console.log(address.port);
process.stdin.on("end", () => process.exit(0)).resume();
