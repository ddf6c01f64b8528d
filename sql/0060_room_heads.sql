-- additive: the columns have defaults, and a version that does not know them works as it did before.
-- A workspace's row in event_heads is what its next room begins with: the end of the event log, and these two.

-- The epoch of the process that owns the workspace's room. Every write of a room names the epoch that it was opened with
-- and changes nothing when another process has raised it since. One process alone never raises it.
alter table event_heads add column epoch bigint not null default 0;
-- The highest stream_gen that may have been used so far; the next room numbers above it.
alter table event_heads add column stream_gen_limit bigint not null default 0;
