//! Reading and writing whole files, the same way everywhere.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;

use crate::exit::Failure;

/// Reads a UTF-8 file that the user wrote; a byte order mark is dropped, line ends stay as they are.
///
/// # Errors
/// [`Failure::Input`] where the file is missing, is a folder or is not UTF-8 (with the byte's place).
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::Input(format!("cannot read `{}`: {}", path.display(), plain(&error))))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..place]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Failure::Input(format!(
            "{}:{line}:{column}: not UTF-8 (byte 0x{:02x} at offset {place})\nhint: save the file as UTF-8",
            path.display(),
            error.as_bytes()[place],
        ))
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Replaces a file at once or not at all: a temporary file in the same folder, synced, then renamed over it.
///
/// A symbolic link stays one, and what is no file (a pipe, a device) is written to and not replaced.
///
/// # Errors
/// Where the folder cannot be made or written; the old file is then untouched.
pub fn write_atomically(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    replace(path, |file| file.write_all(contents))
}

/// As [`write_atomically`], for a text too large to be held beside what it is made of; the lines bring their ends.
///
/// # Errors
/// As there.
pub fn write_lines_atomically(path: &Path, lines: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let mut lines = lines;
    replace(path, |file| {
        let mut buffered = std::io::BufWriter::new(file);
        lines.try_for_each(|line| buffered.write_all(line.as_bytes()))?;
        buffered.flush()
    })
}

fn replace(path: &Path, write: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>) -> anyhow::Result<()> {
    let replace = || -> std::io::Result<()> {
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if is_special(&path) {
            return write(&mut std::fs::OpenOptions::new().write(true).open(&path)?);
        }
        let folder = folder_of(&path);
        std::fs::create_dir_all(folder)?;
        // Killed here, a file stays behind: its name says whose it is.
        let mut file = tempfile::Builder::new().prefix(".").suffix(".recall-gate.tmp").tempfile_in(folder)?;
        write(file.as_file_mut())?;
        keep_or_default_permissions(&path, file.as_file())?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        sync_folder(folder)
    };
    replace().with_context(|| format!("cannot write `{}`", path.display()))
}

/// Whether the path is there and neither file nor folder.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Checks that [`write_atomically`] will probably succeed, before anything long starts.
///
/// # Errors
/// [`Failure::Input`] where `path` is a folder or its folder cannot be made or written.
pub fn check_writable(path: &Path) -> anyhow::Result<()> {
    let refuse = |why: String| Failure::Input(format!("cannot write `{}`: {why}", path.display()));
    if path.is_dir() {
        return Err(refuse("it is a folder".into()).into());
    }
    if is_special(path) {
        return Ok(());
    }
    // A folder that is not there yet is made when there is something to put into it.
    let there = folder_of(path).ancestors().find(|folder| folder.exists()).filter(|f| !f.as_os_str().is_empty());
    let probe = tempfile::NamedTempFile::new_in(there.unwrap_or(Path::new(".")));
    probe.map(drop).map_err(|error| refuse(plain(&error)).into())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A temporary file is private to its owner; a committed one should look like any other file.
#[cfg(unix)]
fn keep_or_default_permissions(path: &Path, file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path).map_or(0o644, |metadata| metadata.permissions().mode());
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_or_default_permissions(_: &Path, _: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// The rename itself survives a power cut only once the folder is on disk.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The operating system's words without its error number.
fn plain(error: &std::io::Error) -> String {
    let message = error.to_string();
    message.split(" (os error").next().unwrap_or(&message).to_lowercase()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");

        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::process::Command::new("cat").arg(&pipe).stdout(std::process::Stdio::piped()).spawn().unwrap();
        write_atomically(&pipe, b"through").unwrap();
        assert_eq!(reader.wait_with_output().unwrap().stdout, b"through");
        assert!(is_special(&pipe));
    }
}
