// A mail server for the tests of invitations: https://nodemailer.com/extras/smtp-server.
//
// Prints its port, then each message that it has accepted as a line of JSON. It first defers the
// recipient `later@example.org` (RFC 5321, 4.2.1) and refuses `never@example.org`.

import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/package.json`);
const { SMTPServer } = require("smtp-server");

const refused = (message, code) => Object.assign(new Error(message), { responseCode: code });
let deferred = 0;

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  onRcptTo({ address }, _session, done) {
    if (address === "never@example.org") {
      done(refused("no such mailbox", 550));
    } else if (address === "later@example.org" && deferred++ === 0) {
      done(refused("greylisted, try again", 451));
    } else {
      done();
    }
  },
  onData(stream, { envelope }, done) {
    const chunks = [];
    stream.on("data", (chunk) => chunks.push(chunk));
    stream.on("end", () => {
      const to = envelope.rcptTo.map(({ address }) => address);
      const message = Buffer.concat(chunks).toString("utf8");
      console.log(JSON.stringify({ from: envelope.mailFrom.address, to, message }));
      done();
    });
  },
});
server.listen(0, "127.0.0.1", () => console.log(server.server.address().port));
