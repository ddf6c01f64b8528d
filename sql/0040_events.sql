-- The append-only log of who did what (contract §12): each entry carries the hash of the one before it.
create table events (
  workspace_id text not null references workspaces (id) on delete cascade,
  seq bigint not null,
  id text not null,
  at timestamptz not null,
  name text not null,
  actor jsonb not null,
  subject jsonb not null,
  -- The picture's generation when it was decided.
  stream_gen bigint not null,
  env text not null,
  run_id text,
  data jsonb not null,
  prev_hash text,
  hash text not null,
  primary key (workspace_id, seq)
);
create index events_by_name on events (workspace_id, name, seq);
create index events_by_subject on events (workspace_id, (subject ->> 'id'), seq);
create index events_by_actor on events (workspace_id, (actor ->> 'id'), seq);

-- The end of each workspace's chain; its row lock is what makes sequence numbers contiguous.
create table event_heads (
  workspace_id text primary key references workspaces (id) on delete cascade,
  seq bigint not null,
  hash text
);

create function refuse_event_change() returns trigger language plpgsql as $$
begin
  -- The workspace itself is being deleted: its row is gone before the cascade comes here.
  if tg_op = 'DELETE' and not exists (select from workspaces where id = old.workspace_id) then
    return old;
  end if;
  raise exception 'the event log is append-only';
end
$$;
create trigger events_are_append_only before update or delete on events
  for each row execute function refuse_event_change();
