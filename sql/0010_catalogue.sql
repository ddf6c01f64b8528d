-- The catalogue entries of a workspace. Reference data (built-ins, types, profiles) is compiled in and has no table.
create table catalogue_entries (
  workspace_id text not null references workspaces (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  kind text not null,
  name text not null,
  -- The name as names are compared (nameKey in resolveModel.ts).
  name_key text not null,
  spec jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, name_key)
);
