# Two commands for a newcomer. Everything else: cargo xtask help.
CARGO ?= $(shell command -v cargo 2>/dev/null || echo $(HOME)/.cargo/bin/cargo)

.DEFAULT_GOAL := help
.PHONY: help run test build

help:
	@echo "make run     build the web client and the server, and serve on http://localhost:8000"
	@echo "             (QUADRILLE_LISTEN=host:port and QUADRILLE_DATA=folder change address and storage)"
	@echo "make test    set up and run every check and test, browser tests included"
	@echo "make build   the self-contained release binary in target/release/quadrille"

run test build: | cargo linker
	@$(CARGO) xtask $@

.PHONY: cargo linker
cargo:
	@$(CARGO) --version >/dev/null 2>&1 || { echo "Rust is missing: install it from https://rustup.rs and run this again." >&2; exit 1; }

# Rust links with the system's C compiler, which rustup does not install.
linker:
	@command -v cc >/dev/null 2>&1 || { \
		if [ "$$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then \
			echo "==> install gcc, libc6-dev"; \
			apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends gcc libc6-dev; \
		else \
			echo "A C compiler (cc) is missing: Rust links with it. On Debian: sudo apt-get install gcc libc6-dev" >&2; exit 1; \
		fi; }
