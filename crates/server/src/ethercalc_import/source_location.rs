//! What `--from-ethercalc` names: a Redis or a file.

use std::path::Path;

use super::dump_directory::DumpDirectory;
use super::dump_json::DumpJson;
use super::redis_client::RedisAddress;
use super::redis_source::RedisSource;
use super::source::Source;

/// Opens what `--from-ethercalc` names.
///
/// # Errors
/// A message that says what is wrong with it.
pub fn open(name: &str, password: Option<String>) -> Result<Box<dyn Source>, String> {
    if name.contains("://") {
        let address = RedisAddress::parse(name, password)?;
        return Ok(Box::new(RedisSource::connect(&address)?));
    }
    if password.is_some() {
        return Err("--from-password-file is for a Redis: a file has no password".to_owned());
    }
    let path = Path::new(name);
    let metadata = std::fs::metadata(path).map_err(|error| format!("{name}: {error}"))?;
    if !metadata.is_dir() {
        return Ok(Box::new(DumpJson::open(path)?));
    }
    // EtherCalc's own directory, which has the dump in a file or a directory.
    let file = path.join("dump.json");
    if file.is_file() {
        return Ok(Box::new(DumpJson::open(&file)?));
    }
    let inner = path.join("dump");
    Ok(Box::new(DumpDirectory::open(if inner.is_dir() { &inner } else { path })?))
}
