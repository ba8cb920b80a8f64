-- Why a caller was turned away, in words (problem as caller_of gives it).
create function caller_words(p_problem text, p_front_end text) returns text
language sql immutable
set search_path = backtalk, pg_temp
as $$
    select case p_problem
        when 'user' then
            format('Nothing was run: the key of the front end "%s" needs the header X-User-Id with'
                   ' the id of the user, and this request has none that can be used. The operator'
                   ' has to add it to the headers of this server in the front end.', p_front_end)
        else 'Nothing was run: this key is not valid, or it is no longer.'
    end;
$$;
