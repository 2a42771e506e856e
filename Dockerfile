# syntax=docker/dockerfile:1
# Airflow's own image with Kerf in it. Python 3.11 is what requirements.lock was made and tested with.
FROM apache/airflow:3.3.2-python3.11

# The languages of scans, as Debian's packages name them: "eng deu chi-sim".
ARG OCR_LANGUAGES="eng"
USER root
RUN apt-get update \
    && apt-get install -y --no-install-recommends tesseract-ocr \
      $(for language in $OCR_LANGUAGES; do echo "tesseract-ocr-$language"; done) \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o airflow -g 0 -m 775 /opt/kerf /opt/kerf/models
USER airflow
WORKDIR /opt/kerf

# The dependencies are a layer of their own, made anew only when they change: without its packages, the project is but a
# list of what it needs. The lock constrains rather than lists, so that the tools for development stay out; the pin of
# Airflow keeps pip from moving it; docker/requirements.txt is named so that pip keeps those packages working too.
ARG TORCH_INDEX=""
COPY --chown=airflow:0 pyproject.toml README.md LICENSE requirements.lock ./
COPY --chown=airflow:0 docker/requirements.txt docker/
RUN pip install --no-cache-dir ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} \
      --constraint requirements.lock --requirement docker/requirements.txt \
      "apache-airflow==${AIRFLOW_VERSION}" ".[multilingual]"

COPY --chown=airflow:0 chunkers chunkers
COPY --chown=airflow:0 corpus corpus
COPY --chown=airflow:0 sql sql
COPY --chown=airflow:0 docker/init.sh docker/
RUN pip install --no-cache-dir --no-deps --editable . \
    && python -c "import corpus.pipeline, sentence_transformers, airflow.providers.fab.auth_manager.fab_auth_manager"

ENV KERF_CONFIG=/opt/kerf/corpora.yaml \
    HF_HOME=/opt/kerf/models \
    TOKENIZERS_PARALLELISM=false \
    DO_NOT_TRACK=1
