-- Ways to the outside that a workspace opened itself, and what it does not want to be asked about again.
create table links (
  workspace_id text not null references workspaces (id) on delete cascade,
  id text not null,
  name text not null,
  -- Set: the link was issued for this asset alone and goes with it.
  asset_id text,
  protocol text not null,
  direction text not null check (direction in ('in', 'out', 'both')),
  transport text not null,
  role text not null check (role in ('listen', 'connect')),
  address text not null,
  port integer,
  options jsonb not null default '{}',
  -- AES-256-GCM under SECRET_KEY; the secret itself is nowhere.
  secret_sealed bytea,
  secret_prefix text,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, asset_id) references assets (workspace_id, id) on delete cascade
);

create table ignored_discoveries (
  workspace_id text not null references workspaces (id) on delete cascade,
  key text not null,
  ignored_by text not null,
  ignored_at timestamptz not null,
  primary key (workspace_id, key)
);
