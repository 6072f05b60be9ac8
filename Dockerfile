# The gate alone, for CI that runs containers; a pipeline that it starts with `command` needs an image of its own, into which
# the program is copied: COPY --from=recall-gate /usr/local/bin/recall-gate /usr/local/bin/
FROM rust:1-bookworm AS build
WORKDIR /build
COPY Cargo.toml Cargo.lock README.md ./
COPY src src
COPY benches benches
COPY examples/study.rs examples/study.rs
RUN cargo build --release --locked --bin recall-gate

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git && rm -rf /var/lib/apt/lists/*
COPY --from=build /build/target/release/recall-gate /usr/local/bin/recall-gate
USER nobody
WORKDIR /work
ENTRYPOINT ["recall-gate"]
