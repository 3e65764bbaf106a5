//! [`RedisClient`]: the few commands of Redis that reading EtherCalc's rooms takes, in the protocol RESP2.

use std::fmt;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use percent_encoding::percent_decode_str;

const PORT: u16 = 6379;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A busy server answers `SCAN` of a large database within this time.
const REPLY_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of a value that are read: a snapshot of this size is beyond every limit of a workbook.
const VALUE_BYTES_MAX: usize = 256 << 20;
/// Bytes of the line with which each part of a reply begins.
const LINE_BYTES_MAX: u64 = 64 << 10;
/// Arrays in arrays: `SCAN` returns an array of a cursor and an array.
const DEPTH_MAX: u32 = 4;

/// Where a Redis is, from a URL.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisAddress {
    host: String,
    port: u16,
    /// Empty: the default user.
    user: String,
    password: Option<String>,
    database: u32,
}

impl RedisAddress {
    /// Reads `redis://[user][:password]@host[:port][/database]`. The password may come from a file instead.
    ///
    /// # Errors
    /// A message when it is not such a URL. It does not contain the password.
    pub fn parse(url: &str, password: Option<String>) -> Result<RedisAddress, String> {
        const FORM: &str = "a Redis is named as redis://host:6379/0, or redis://user:password@host/0";
        let rest = match url.split_once("://") {
            Some(("redis", rest)) => rest,
            Some(("rediss", _)) => {
                return Err("TLS to Redis is not supported: use a tunnel, such as stunnel or ssh -L, and \
                            redis://localhost"
                    .to_owned());
            }
            _ => return Err(FORM.to_owned()),
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (credentials, host) = match authority.rsplit_once('@') {
            Some((credentials, host)) => (Some(credentials), host),
            None => (None, authority),
        };
        let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let (user, given) = match credentials.map(|text| text.split_once(':').unwrap_or((text, ""))) {
            Some((user, given)) => (decode(user), Some(decode(given)).filter(|given| !given.is_empty())),
            None => (String::new(), None),
        };
        if given.is_some() && password.is_some() {
            return Err("the URL and --from-password-file both have a password: leave one out".to_owned());
        }
        let (host, port) = match host.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                let port = port.parse().map_err(|_| format!("not a port: {port}; {FORM}"))?;
                (host, port)
            }
            _ => (host, PORT),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(FORM.to_owned());
        }
        let database = match path {
            "" => 0,
            number => {
                number.parse().map_err(|_| format!("not the number of a database: {number}; {FORM}"))?
            }
        };
        Ok(RedisAddress { host: host.to_owned(), port, user, password: given.or(password), database })
    }

    /// The number of the database.
    pub fn database(&self) -> u32 {
        self.database
    }
}

impl fmt::Display for RedisAddress {
    /// Without user and password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "redis://[{}]:{}/{}", self.host, self.port, self.database),
            false => write!(f, "redis://{}:{}/{}", self.host, self.port, self.database),
        }
    }
}

/// A reply. Errors within arrays do not occur in the commands that are used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    Nothing,
    Number(i64),
    Bytes(Vec<u8>),
    Array(Vec<Reply>),
    /// An answer such as `WRONGTYPE …`; the connection is still usable.
    Error(String),
}

/// A connection.
pub struct RedisClient {
    address: RedisAddress,
    reader: BufReader<TcpStream>,
    writer: BufWriter<TcpStream>,
}

impl RedisClient {
    /// Connects, signs in and selects the database.
    ///
    /// # Errors
    /// A message that says what to do when nothing listens there, the password is wrong, or what listens is
    /// no Redis.
    pub fn connect(address: &RedisAddress) -> Result<RedisClient, String> {
        let unreachable = |error: std::io::Error| format!("cannot reach {address}: {error}");
        let candidates = (address.host.as_str(), address.port).to_socket_addrs().map_err(unreachable)?;
        let mut failed = None;
        let stream = candidates
            .into_iter()
            .find_map(|candidate| match TcpStream::connect_timeout(&candidate, CONNECT_TIMEOUT) {
                Ok(stream) => Some(stream),
                Err(error) => {
                    failed = Some(error);
                    None
                }
            })
            .ok_or_else(|| unreachable(failed.unwrap_or_else(|| ErrorKind::NotFound.into())))?;
        stream.set_read_timeout(Some(REPLY_TIMEOUT)).map_err(unreachable)?;
        stream.set_write_timeout(Some(REPLY_TIMEOUT)).map_err(unreachable)?;
        stream.set_nodelay(true).map_err(unreachable)?;
        let writer = BufWriter::new(stream.try_clone().map_err(unreachable)?);
        let mut client = RedisClient { address: address.clone(), reader: BufReader::new(stream), writer };
        client.sign_in()?;
        Ok(client)
    }

    fn sign_in(&mut self) -> Result<(), String> {
        let RedisAddress { user, password, database, .. } = self.address.clone();
        if let Some(password) = &password {
            let command = match user.is_empty() {
                true => vec!["AUTH", password],
                false => vec!["AUTH", &user, password],
            };
            self.call(&command).map_err(|error| match error.contains("WRONGPASS") {
                true => format!("{}: the user or password is wrong", self.address),
                false => error,
            })?;
        }
        let selected = self.call(&["SELECT", &database.to_string()]);
        selected.map(drop).map_err(|error| match error.contains("NOAUTH") {
            true => format!("{}: it needs a password: name it with --from-password-file", self.address),
            false => error,
        })
    }

    /// Sends a command and reads its reply.
    ///
    /// # Errors
    /// When Redis refuses the command, or the connection fails.
    pub fn call(&mut self, command: &[&str]) -> Result<Reply, String> {
        match self.call_all(&[command])?.pop() {
            Some(Reply::Error(error)) => Err(format!("{}: {error}", self.address)),
            Some(reply) => Ok(reply),
            None => Err(format!("{}: no reply", self.address)),
        }
    }

    /// Sends commands together and reads their replies, in order. A refused command is a [`Reply::Error`].
    ///
    /// # Errors
    /// When the connection fails.
    pub fn call_all(&mut self, commands: &[&[&str]]) -> Result<Vec<Reply>, String> {
        let broken = |error: std::io::Error| format!("the connection to {} broke: {error}", self.address);
        for command in commands {
            write!(self.writer, "*{}\r\n", command.len()).map_err(broken)?;
            for argument in *command {
                write!(self.writer, "${}\r\n{argument}\r\n", argument.len()).map_err(broken)?;
            }
        }
        self.writer.flush().map_err(broken)?;
        let replies = commands.iter().map(|_| read_reply(&mut self.reader, DEPTH_MAX));
        replies.collect::<Result<_, String>>().map_err(|reason| format!("{}: {reason}", self.address))
    }
}

/// Reads one reply.
fn read_reply(reader: &mut impl BufRead, depth_left: u32) -> Result<Reply, String> {
    let line = read_line(reader)?;
    let (kind, rest) = (line.first().copied(), line.get(1..).unwrap_or_default());
    let text = String::from_utf8_lossy(rest);
    let number = || text.parse::<i64>().map_err(|_| not_redis(&line));
    match kind {
        Some(b'+') => Ok(Reply::Bytes(rest.to_vec())),
        Some(b'-') => Ok(Reply::Error(text.into_owned())),
        Some(b':') => Ok(Reply::Number(number()?)),
        Some(b'$') => match number()? {
            -1 => Ok(Reply::Nothing),
            length => {
                let length = usize::try_from(length).map_err(|_| not_redis(&line))?;
                Ok(Reply::Bytes(read_value(reader, length)?))
            }
        },
        Some(b'*') => {
            let count = number()?;
            let depth_left = depth_left.checked_sub(1).ok_or_else(|| not_redis(&line))?;
            // Nothing is reserved by the count, which is only declared.
            (0..count.max(0))
                .map(|_| read_reply(reader, depth_left))
                .collect::<Result<_, _>>()
                .map(Reply::Array)
        }
        _ => Err(not_redis(&line)),
    }
}

fn read_line(reader: &mut impl BufRead) -> Result<Vec<u8>, String> {
    let mut line = Vec::new();
    reader.take(LINE_BYTES_MAX).read_until(b'\n', &mut line).map_err(|error| broken(&error))?;
    match line.strip_suffix(b"\r\n") {
        Some(text) => Ok(text.to_vec()),
        None if line.is_empty() => Err("the connection was closed; is it a Redis?".to_owned()),
        None => Err(not_redis(&line)),
    }
}

fn read_value(reader: &mut impl BufRead, length: usize) -> Result<Vec<u8>, String> {
    if length > VALUE_BYTES_MAX {
        return Err(format!("a value of {length} bytes is larger than {VALUE_BYTES_MAX}"));
    }
    let mut value = Vec::new();
    let wanted = length + 2;
    reader.take(wanted as u64).read_to_end(&mut value).map_err(|error| broken(&error))?;
    match value.len() == wanted && value.ends_with(b"\r\n") {
        true => {
            value.truncate(length);
            Ok(value)
        }
        false => Err("the connection was closed within a reply".to_owned()),
    }
}

fn broken(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            format!("no reply within {} s; is it a Redis?", REPLY_TIMEOUT.as_secs())
        }
        _ => format!("the connection broke: {error}"),
    }
}

fn not_redis(line: &[u8]) -> String {
    let shown: String =
        String::from_utf8_lossy(line).chars().take(40).flat_map(char::escape_default).collect();
    format!("it answers as no Redis does: {shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Result<RedisAddress, String> {
        RedisAddress::parse(url, None)
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (url, shown) in [
            ("redis://localhost", "redis://localhost:6379/0"),
            ("redis://localhost:7000/3", "redis://localhost:7000/3"),
            ("redis://:geheim@db.example", "redis://db.example:6379/0"),
            ("redis://ada:ge%40heim@[::1]:7000/1", "redis://[::1]:7000/1"),
        ] {
            assert_eq!(parse(url).expect(url).to_string(), shown);
        }
        let address = parse("redis://ada:ge%40heim@localhost").expect("valid");
        assert_eq!((address.user.as_str(), address.password.as_deref()), ("ada", Some("ge@heim")));
    }

    #[test]
    fn what_is_no_address_is_refused_with_one_that_is() {
        for url in ["redis://", "redis://host:x", "redis://host/a", "http://host"] {
            assert!(parse(url).err().expect(url).contains("redis://host:6379/0"), "{url}");
        }
        assert!(parse("rediss://host").err().expect("no TLS").contains("stunnel"));
        let twice = RedisAddress::parse("redis://:a@host", Some("b".to_owned()));
        assert!(twice.err().expect("two passwords").contains("leave one out"));
    }

    #[test]
    fn replies_are_read_and_what_is_none_is_an_error() {
        let read = |text: &str| read_reply(&mut text.as_bytes(), DEPTH_MAX);
        let bytes = |text: &str| Reply::Bytes(text.as_bytes().to_vec());
        assert_eq!(read("+OK\r\n"), Ok(bytes("OK")));
        assert_eq!(read("-WRONGTYPE no\r\n"), Ok(Reply::Error("WRONGTYPE no".to_owned())));
        assert_eq!(read(":12\r\n"), Ok(Reply::Number(12)));
        assert_eq!(read("$-1\r\n"), Ok(Reply::Nothing));
        assert_eq!(read("$4\r\na\r\nb\r\n"), Ok(bytes("a\r\nb")));
        let scanned = Reply::Array(vec![bytes("0"), Reply::Array(vec![bytes("a"), bytes("b")])]);
        assert_eq!(read("*2\r\n$1\r\n0\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n"), Ok(scanned));
        for bad in ["", "HTTP/1.1 400 Bad Request\r\n", "$x\r\n", "$5\r\nab", "$99999999999\r\n", "*1\r\n"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(read(&"*1\r\n".repeat(10)).is_err(), "too deep");
    }
}
