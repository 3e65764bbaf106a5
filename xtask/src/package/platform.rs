//! [`Platform`]: the machines for which packages are made.

use std::path::PathBuf;
use std::process::Command;

use crate::setup;

/// A machine with Linux. The C library is musl, linked statically, so that a program depends on the kernel alone.
#[derive(Debug)]
pub struct Platform {
    /// The target of Rust.
    pub triple: &'static str,
    /// The name of Debian, the Open Container Initiative and Go, as in `quadrille_0.2.0_arm64.deb`.
    pub architecture: &'static str,
    /// The value of `std::env::consts::ARCH` on such a machine.
    processor: &'static str,
    /// The programs of QEMU that run programs of this platform on another one.
    emulators: [&'static str; 2],
}

const PLATFORMS: [Platform; 2] = [
    Platform {
        triple: "x86_64-unknown-linux-musl",
        architecture: "amd64",
        processor: "x86_64",
        emulators: ["qemu-x86_64", "qemu-x86_64-static"],
    },
    Platform {
        triple: "aarch64-unknown-linux-musl",
        architecture: "arm64",
        processor: "aarch64",
        emulators: ["qemu-aarch64", "qemu-aarch64-static"],
    },
];

impl Platform {
    /// The platforms with these targets of Rust; without any, this machine's.
    ///
    /// # Errors
    /// Names an unknown target and the known ones.
    pub fn chosen(triples: &[String]) -> Result<Vec<&'static Platform>, String> {
        if triples.is_empty() {
            let native = PLATFORMS.iter().find(|platform| platform.is_native());
            return native.map(|platform| vec![platform]).ok_or_else(|| {
                format!("name a target: {}", PLATFORMS.map(|platform| platform.triple).join(" "))
            });
        }
        let find = |triple: &String| {
            PLATFORMS.iter().find(|platform| platform.triple == triple).ok_or_else(|| {
                let known = PLATFORMS.map(|platform| platform.triple).join(" ");
                format!("unknown target: {triple}; there are {known}")
            })
        };
        triples.iter().map(find).collect()
    }

    /// A command that runs a program of this platform, by QEMU if this machine is another one.
    ///
    /// # Errors
    /// When QEMU is needed and missing.
    pub fn command(&self, program: PathBuf) -> Result<Command, String> {
        let Some(emulator) = self.emulator()? else { return Ok(Command::new(program)) };
        let mut command = Command::new(emulator);
        command.arg(program);
        Ok(command)
    }

    /// The program that runs programs of this platform; `None` if this machine does.
    ///
    /// # Errors
    /// When QEMU is needed and missing.
    pub fn emulator(&self) -> Result<Option<&'static str>, String> {
        if self.is_native() {
            return Ok(None);
        }
        let found = self.emulators.iter().find(|emulator| setup::is_on_path(emulator));
        found.map(|emulator| Some(*emulator)).ok_or_else(|| {
            format!(
                "{} is missing, which runs programs of {}: on Debian, qemu-user",
                self.emulators[0], self.triple
            )
        })
    }

    fn is_native(&self) -> bool {
        cfg!(target_os = "linux") && std::env::consts::ARCH == self.processor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_target_is_named_beside_the_known_ones() {
        let error = Platform::chosen(&["riscv64".to_owned()]).expect_err("unknown");
        assert!(error.contains("riscv64") && error.contains("aarch64-unknown-linux-musl"), "{error}");
        let both = PLATFORMS.map(|platform| platform.triple.to_owned());
        assert_eq!(Platform::chosen(&both).expect("known").len(), 2);
    }
}
