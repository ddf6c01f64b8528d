-- Users, workspaces, membership and credentials. Secrets are stored hashed only.

create table users (
  id         text primary key,
  email      text not null unique,
  name       text not null,
  created_at timestamptz not null default now()
);

create table workspaces (
  id             text primary key,
  name           text not null,
  origin_lat     double precision,
  origin_lon     double precision,
  origin_alt_m   double precision,
  retention      jsonb not null default '{"obs_h":24,"track_h":168,"event_d":365}',
  created_at     timestamptz not null default now(),
  check ((origin_lat is null) = (origin_lon is null))
);

create table memberships (
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id      text not null references users (id) on delete cascade,
  role         text not null check (role in ('owner', 'admin', 'approver', 'operator', 'viewer')),
  created_at   timestamptz not null default now(),
  primary key (workspace_id, user_id)
);
create index memberships_by_user on memberships (user_id);

create table api_keys (
  workspace_id text not null references workspaces (id) on delete cascade,
  id           text not null,
  name         text not null,
  prefix       text not null,
  secret_hash  bytea not null unique,
  role         text not null check (role in ('owner', 'admin', 'approver', 'operator', 'viewer')),
  created_by   text not null,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  primary key (workspace_id, id)
);

-- One open login an address: a new one voids the old (Decision 11).
create table logins (
  email      text primary key,
  code_hash  bytea not null,
  attempts   integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create table refresh_tokens (
  token_hash  bytea primary key,
  family_id   text not null,
  user_id     text not null references users (id) on delete cascade,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  spent_at    timestamptz,
  revoked_at  timestamptz
);
create index refresh_tokens_by_family on refresh_tokens (family_id);
create index refresh_tokens_by_user on refresh_tokens (user_id);
