-- additive: a column that may be null, and a version that does not know it works as it did before.
-- Who made a workspace counts against that user's limit, whoever owns it later: otherwise a user could hand workspaces on
-- and make more, or use up another's limit by making them an owner.
alter table workspaces add column made_by text references users (id) on delete set null;
update workspaces w set made_by =
  (select m.user_id from memberships m where m.workspace_id = w.id and m.role = 'owner' order by m.created_at, m.user_id limit 1);
create index workspaces_made_by on workspaces (made_by);
