-- What a chat is called: 64 hex digits of (this instance, member, conversation). The first 32 name
-- its container, the next 16 its lock. Nothing in it changes when an older backup is restored.
create function chat_hash(p_member_name text, p_conversation text) returns text
language sql stable
set search_path = backtalk, pg_temp
as $$
    select encode(sha256(convert_to(
               s.value || E'\n' || length(p_member_name) || ':' || p_member_name || p_conversation,
               'UTF8')), 'hex')
      from setting s
     where s.name = 'instance_salt';
$$;
