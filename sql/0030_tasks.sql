-- The task ledger: one row a command, refused ones included (contract §7).
create table tasks (
  workspace_id text not null references workspaces (id) on delete cascade,
  id text not null,
  -- An asset, or the adoption key of a platform that is not saved; the task outlives both.
  asset_id text not null,
  verb text not null,
  status text not null,
  idempotency_key text,
  created_at timestamptz not null,
  is_open boolean not null,
  -- The task as clients read it.
  task jsonb not null,
  primary key (workspace_id, id)
);
create unique index tasks_by_idempotency_key on tasks (workspace_id, asset_id, idempotency_key)
  where idempotency_key is not null;
create index tasks_by_asset on tasks (workspace_id, asset_id, id);
create index tasks_open on tasks (workspace_id) where is_open;
