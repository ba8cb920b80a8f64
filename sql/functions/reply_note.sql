-- Records a final answer that followed a program, before its end is sent: what it showed (p_showed:
-- 'shown', 'missing', 'different', 'elsewhere') and what is appended to it, or NULL. The program is
-- named by language and SHA-256, with what its runs in this turn came to. False, and nothing is
-- recorded: nobody stands behind the key.
create function reply_note(
    p_key_sha256 bytea,
    p_user text,
    p_conversation text,
    p_language text,
    p_code_sha256 bytea,
    p_verdict text,
    p_tests_passed int,
    p_tests int,
    p_showed text,
    p_appended text)
returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_who record := caller_of(p_key_sha256, p_user);
begin
    if v_who.problem is not null or v_who.member_id is null then
        return false;
    end if;
    insert into answer (member_id, conversation, language, code_sha256, verdict, tests_passed, tests,
                        showed, appended)
    values (v_who.member_id, p_conversation, p_language, p_code_sha256, p_verdict, p_tests_passed,
            p_tests, p_showed, p_appended);
    return true;
end
$$;
