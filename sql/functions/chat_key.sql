-- The number of a chat's advisory lock.
create function chat_key(p_member_id bigint, p_conversation text) returns bigint
language sql stable
set search_path = backtalk, pg_temp
as $$
    select ('x' || substr(chat_hash(m.name, p_conversation), 33, 16))::bit(64)::bigint
      from member m where m.id = p_member_id;
$$;
