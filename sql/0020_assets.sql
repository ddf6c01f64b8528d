-- Our own forces: vehicles and placed sensors (contract §4).
create table assets (
  workspace_id text not null references workspaces (id) on delete cascade,
  id text not null,
  kind text not null check (kind in ('vehicle', 'sensor')),
  name text not null,
  domain text not null,
  -- Free; `model` is in the catalogue's own spelling.
  spec jsonb not null,
  -- The identity of the platform; written by registration and by bind only.
  remote_id_serial text,
  performance jsonb,
  placement jsonb,
  -- null: what the model carries. []: nothing.
  payloads jsonb,
  switches jsonb not null default '{}',
  connection jsonb,
  -- connection.address: registration is idempotent on it.
  address text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (workspace_id, id)
);
create unique index assets_by_address on assets (workspace_id, address) where address is not null;
create unique index assets_by_serial on assets (workspace_id, remote_id_serial) where remote_id_serial is not null;
