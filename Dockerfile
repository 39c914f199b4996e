# syntax=docker/dockerfile:1

# What the program needs to run, and nothing to build or test it. The optional native packages bring their own
# builds for Debian; where one cannot be had, the image is made without it and `atelier doctor` says so.
FROM node:24-trixie-slim AS dependencies
WORKDIR /atelier
COPY package.json package-lock.json ./
COPY engine/package.json engine/
# Not `npm ci`: it refuses a lock file made where a registry lacks the builds for other systems.
# No script of a package runs: nothing that is needed here has one.
RUN npm install --omit=dev --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
# The bill of what was installed. Not `npm sbom --omit=dev`: it asks for every package of development, and leaves out
# those of ours that one of them uses, too.
RUN npm pkg delete devDependencies \
 && npm sbom --sbom-format=cyclonedx --sbom-type=application > sbom.json

# The console is a page, and the client a package that is served: what builds them stays behind.
FROM node:24-trixie-slim AS console
WORKDIR /atelier
COPY package.json package-lock.json tsconfig.json ./
COPY console console
COPY client client
COPY ai-sdk ai-sdk
RUN npm install --workspace=atelier-console --workspace=atelier-client --workspace=atelier-ai-sdk --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
 && npm run build --workspace=atelier-console --workspace=atelier-client \
 && npm run build --workspace=atelier-ai-sdk
# Of what the page is built of; this folder has nothing else.
RUN npm pkg delete devDependencies dependencies optionalDependencies \
 && npm sbom --workspace=atelier-console --sbom-format=cyclonedx --sbom-type=application > sbom-console.json

FROM node:24-trixie-slim
# The first process of a container must take in the children of one that died.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=node --group=node --mode=700 /data \
 && ln --symbolic /atelier/bin/atelier.js /usr/local/bin/atelier
WORKDIR /atelier
COPY --from=dependencies /atelier/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY src src
COPY engine/src engine/src
# The commands that ask a gateway ask by it.
COPY --from=console /atelier/client/package.json /atelier/client/README.md client/
COPY --from=console /atelier/client/src client/src
COPY --from=console /atelier/client/dist client/dist
COPY --from=console /atelier/ai-sdk/package.json /atelier/ai-sdk/README.md ai-sdk/
COPY --from=console /atelier/ai-sdk/src ai-sdk/src
COPY --from=console /atelier/ai-sdk/dist ai-sdk/dist
# Served as a wheel.
COPY python/pyproject.toml python/README.md python/
COPY python/src python/src
COPY --from=console /atelier/console/dist console/dist
COPY --from=dependencies /atelier/sbom.json ./
COPY --from=console /atelier/sbom-console.json ./
ENV NODE_ENV=production ATELIER_HOST=0.0.0.0 ATELIER_PORT=8080 ATELIER_DATA_DIR=/data
# The user `node`, by its number: Kubernetes has to see that it is not root.
USER 1000:1000
# SQLite, blobs and secrets, unless they are elsewhere; and bytes on their way.
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.ATELIER_PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "atelier"]
CMD ["serve"]
