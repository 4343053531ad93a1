# One image for every role; the command chooses: api, worker, serve.
FROM node:24-slim AS modules
WORKDIR /app
COPY package.json package-lock.json ./
# The image has its Node; the npm package "node" is for machines without.
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-slim
# What the bundled Chromium links against.
RUN apt-get update && apt-get install -y --no-install-recommends libnss3 libnspr4 libexpat1 fonts-liberation && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 ADMIN_HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY package.json LICENSE README.md ./
COPY cli cli
COPY shared shared
COPY api api
COPY worker worker
RUN mkdir -p /data node_modules/.cache/diag && chown 10001:10001 /data node_modules/.cache/diag
USER 10001:10001
# Types are stripped and compiled here, by the user who reads it later on a read-only root.
RUN NODE_COMPILE_CACHE=node_modules/.cache/diag node --input-type=module -e "await Promise.all(['api/main', 'worker/start/main', 'cli/serve', 'worker/probes/browser/child/main'].map((name) => import('/app/' + name + '.ts')))"
EXPOSE 3000 3001 3002
VOLUME /data
ENTRYPOINT ["node", "cli/diag.js"]
CMD ["serve"]
