-- Records what was measured of a sandbox: its disk, its processor time so far and whether it worked
-- since the last time, whether its image is an older one. NULL: not measured.
create function janitor_measured(
    p_sandbox_id bigint, p_size_bytes bigint, p_cpu_ns bigint, p_worked boolean, p_image_old boolean)
returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    update sandbox s
       set size_bytes = coalesce(p_size_bytes, s.size_bytes),
           sized_at = case when p_size_bytes is null then s.sized_at else clock_timestamp() end,
           cpu_ns = coalesce(p_cpu_ns, s.cpu_ns),
           cpu_at = case when p_cpu_ns is null then s.cpu_at else clock_timestamp() end,
           worked_at = case when p_worked then clock_timestamp() else s.worked_at end,
           image_told = s.image_told and p_image_old is not true,
           image_old = coalesce(p_image_old, s.image_old)
     where s.id = p_sandbox_id and s.removed_at is null;
    return found;
end
$$;
