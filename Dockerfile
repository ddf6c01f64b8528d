# The build stage has the tools (compiler of the kernel, lock file's npm); the last stage only what runs.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev
COPY asconfig.json tsconfig.json ./
COPY assembly assembly
COPY scripts/bootstrap.mjs scripts/bootstrap.mjs
RUN node scripts/bootstrap.mjs && npm prune --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8077 DATA_DIR=/data LOG_FORMAT=json
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/build build
COPY package.json ./
COPY assembly/layout.ts assembly/layout.ts
COPY sql sql
COPY src src
RUN mkdir /data && chown node:node /data
USER node
# Everything that is written goes to /data, so the root file system can be read-only.
VOLUME /data
EXPOSE 8077
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Not through npm: it would stand between the stop signal and the service.
CMD ["node", "src/main.ts"]
