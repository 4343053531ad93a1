# One image for every role; the command chooses: api, worker, serve.
# Pin it: --build-arg NODE_IMAGE=node:24-slim@sha256:...
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/image/empty deploy/image/empty
# The image has its Node; what npm brings of it is optional, for machines without. Nothing else that is optional is needed.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
# bundled: the Chromium that npm brings. debian: Debian's, which gets security updates within days; set
# BROWSER_PATH=/usr/bin/chromium beside it. none: for processes that load no pages, without the packages that do.
ARG BROWSER=bundled
COPY deploy/image/prune-modules.ts ./
RUN case "$BROWSER" in bundled) unused="" ;; debian) unused="@sparticuz/chromium" ;; none) unused="@sparticuz/chromium chrome-launcher lighthouse puppeteer-core" ;; *) echo "BROWSER must be bundled, debian or none" >&2; exit 1 ;; esac \
  && if [ -n "$unused" ]; then npm uninstall --omit=dev --omit=optional --ignore-scripts $unused; fi \
  && node prune-modules.ts node_modules

FROM ${NODE_IMAGE}
ARG BROWSER=bundled
# What the bundled Chromium links against, or Debian's with all that it needs.
RUN case "$BROWSER" in bundled) packages="libnss3 libnspr4 libexpat1 fonts-liberation" ;; debian) packages="chromium chromium-sandbox fonts-liberation" ;; none) packages="" ;; esac \
  && if [ -n "$packages" ]; then apt-get update && apt-get install -y --no-install-recommends $packages && apt-get clean && rm -rf /var/lib/apt/lists/*; fi
# Time for a load balancer to notice that a process ends, and the memory that V8 would let grow under load.
ENV NODE_ENV=production HOST=0.0.0.0 ADMIN_HOST=0.0.0.0 DATA_DIR=/data DRAIN_SECONDS=10 NODE_OPTIONS=--max-semi-space-size=8
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY package.json LICENSE README.md ./
COPY cli cli
COPY shared shared
COPY api api
COPY worker worker
COPY client client
RUN mkdir -p /data node_modules/.cache/diag && chown 10001:10001 /data node_modules/.cache/diag && chmod 0700 /data
USER 10001:10001
# Types are stripped and compiled here, by the user who reads it later on a read-only root.
RUN NODE_COMPILE_CACHE=node_modules/.cache/diag node --input-type=module -e "await Promise.all(['api/main', 'worker/start/main', 'cli/serve', 'worker/probes/browser/child/main'].map((name) => import('/app/' + name + '.ts'))); const { catalogue } = await import('/app/shared/catalogue/registry.ts'); const { findCheck } = await import('/app/worker/checks/registry.ts'); await Promise.all(catalogue.map(({ name }) => findCheck(name)))"
EXPOSE 3000 3001 3002
VOLUME /data
ENTRYPOINT ["node", "cli/diag.js"]
CMD ["serve"]
