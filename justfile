# Short names for what one types often, for https://just.systems. Each recipe is one command: without `just`, type that.

# What there is.
default:
    @just --list

# All tests; `just test day::` those of that name.
test *args:
    ./run-tests {{args}}

# The tests without those that take minutes.
quick:
    ./run-tests --quick

# Whether it compiles, with everything, and what clippy says.
lint:
    cargo clippy --workspace --all-targets --all-features --locked -- -D warnings

# As rustfmt wants it.
fmt:
    cargo fmt --all

# Everything a change must pass.
ci:
    .ci/run

# The program as it is released.
release:
    ./build-release

# The documentation of all crates.
doc:
    cargo doc --workspace --no-deps --document-private-items --all-features --locked

# The recorded help, answers and listings, written anew; a review reads the difference.
fixtures:
    UPDATE_FIXTURES=1 UPDATE_GOLDEN=1 ./run-tests --quick

# The program by hand, in a home of its own: `just run status`
run *args:
    LAST_WORD_HOME="$PWD/target/home" cargo run --locked --quiet -- {{args}}
