-- Operator: switches a hint rule off, or on again, from the next call on. p_why: for whoever reads
-- hint_switch later.
create function set_rule(p_rule text, p_on boolean, p_why text default '') returns void
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    if p_rule is null or p_rule !~ '^[a-z0-9-]+$' then
        raise exception 'not the id of a rule: %', coalesce(p_rule, 'null')
            using hint = 'backtalk-explain --rules lists them, calls.hint_ids tells which fired.';
    end if;
    if p_on then
        delete from hint_switch where rule = p_rule;
    else
        insert into hint_switch (rule, why) values (p_rule, p_why)
            on conflict (rule) do update set why = excluded.why;
    end if;
end
$$;
