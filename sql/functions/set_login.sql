-- Operator: the database login with which a member reads its own rows in the views; NULL: none. The
-- role has to be there and in backtalk_member: create role alice login in role backtalk_member.
create function set_login(p_member text, p_login name) returns void
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    if p_login is not null and not exists (
        select 1 from pg_auth_members a
         where a.roleid = 'backtalk_member'::regrole and a.member = to_regrole(quote_ident(p_login))
    ) then
        raise exception 'the role "%" is not there, or not in backtalk_member', p_login
            using hint = format('create role %I login in role backtalk_member;', p_login);
    end if;
    update member m set login = p_login where m.id = member_id(p_member);
end
$$;
