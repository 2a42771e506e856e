# syntax=docker/dockerfile:1
# Copyright 2026 The Harbour Library.

ARG VERSION=3.11

# Where the wheels are built.
FROM --platform=$BUILDPLATFORM python:${VERSION}-slim AS build
WORKDIR /src
ENV A=1 \
    B="größer: 漢字"
# The compiler goes away with the stage.
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc \
    # a remark inside
 && rm -rf /var/lib/apt/lists/*
COPY . .
RUN <<TEXT
pip wheel .
FROM nothing
TEXT

FROM build AS test
RUN pytest

FROM python:3.11-slim
COPY --from=build /src/dist /wheels
USER 1000:1000
HEALTHCHECK --interval=30s CMD curl -f http://localhost/ || exit 1
ENTRYPOINT ["kerf", "serve"]
