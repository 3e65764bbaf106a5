//! Files and directories that other users of the machine may not read: a data directory has all workbooks, e-mail
//! addresses and hashes of passwords.
//!
//! A file has the access that its directory gives to a group, if an administrator has given it: by taking that of
//! others away, or by the setgid bit. SQLite gives a write-ahead log the access of its database.

#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

#[cfg(unix)]
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown,
};

/// Creates a directory that only its owner may read, and those above it, unless they exist.
///
/// # Errors
/// Those of the file system.
pub fn create_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    builder.mode(0o700);
    builder.recursive(true).create(path)
}

/// Creates an empty file that others may not read, unless there is a file.
///
/// # Errors
/// Those of the file system.
pub fn create_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.mode(0o600);
    match options.write(true).create_new(true).open(path) {
        Ok(file) => {
            fit(&file, path);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Gives a file that was moved into a directory the access of files that are created there.
///
/// # Errors
/// When it cannot be opened.
pub fn fit_file(path: &Path) -> io::Result<()> {
    fit(&File::open(path)?, path);
    Ok(())
}

/// Where the file system has no such access, nothing can be done.
#[cfg(unix)]
fn fit(file: &File, path: &Path) {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(directory) = directory.metadata() else { return };
    let mode = directory.mode();
    let is_for_group = mode & 0o007 == 0 || mode & 0o2000 != 0;
    let group = if is_for_group { mode & 0o060 } else { 0 };
    let _ = file.set_permissions(Permissions::from_mode(0o600 | group));
    // A command that root runs leaves files that the user of the server can use, as SQLite does with logs.
    if file.metadata().is_ok_and(|file| file.uid() == 0) && directory.uid() != 0 {
        let _ = fchown(file, Some(directory.uid()), Some(directory.gid()));
    }
}

#[cfg(not(unix))]
fn fit(_file: &File, _path: &Path) {}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_have_the_access_that_an_administrator_gave_to_a_group() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let new = directory.path().join("above/new");
        create_directory(&new).expect("created");
        let mode = |path: &Path| path.metadata().expect("exists").mode() & 0o7777;
        assert_eq!((mode(&new), mode(new.parent().expect("above"))), (0o700, 0o700));
        for (of_directory, of_file) in [
            (0o700, 0o600),
            (0o755, 0o600), // as `mkdir` makes them
            (0o750, 0o640),
            (0o770, 0o660),
            (0o2775, 0o660), // as `fsGroup` of Kubernetes makes them
        ] {
            fs::set_permissions(&new, Permissions::from_mode(of_directory)).expect("set");
            let file = new.join(format!("{of_directory:o}"));
            create_file(&file).expect("created");
            assert_eq!(mode(&file), of_file, "{of_directory:o}");
            fs::write(&file, "kept").expect("written");
            fs::set_permissions(&file, Permissions::from_mode(0o604)).expect("set");
            create_file(&file).expect("exists");
            assert_eq!((mode(&file), fs::read(&file).expect("readable")), (0o604, b"kept".to_vec()));
            fit_file(&file).expect("fitted");
            assert_eq!(mode(&file), of_file, "{of_directory:o}");
        }
    }
}
