-- Keys, members, users of a front end.
select plan(34);
select t.member('alice');
select t.open('w');

select matches((select key from t.keys where name = 'alice'), '^bt_[A-Za-z0-9_-]{43}$',
               'a key is bt_ and 43 characters');
select is((select count(*) from backtalk.api_key where key_sha256 = t.hash('alice')), 1::bigint,
          'only its SHA-256 is kept');
select isnt(backtalk.new_key('alice', 'a'), backtalk.new_key('alice', 'b'), 'keys differ');
select is(t.row('w', format('select backtalk.key_check(%L)', t.hash('alice'))) -> 'key_check', 'true',
          'key_check knows it');
select is(t.row('w', format('select backtalk.key_check(%L)', sha256('x'))) -> 'key_check', 'false',
          'key_check refuses another');
select is(t.row('w', 'select backtalk.key_check(null)') -> 'key_check', 'false',
          'key_check refuses NULL');

insert into t.keys values ('nobody', 'bt_wrong');
select is(t.row('w', t.begin_sql('nobody', 'c')) ->> 'status', 'unauthorized',
          'an unknown key begins nothing');
select is(t.call('w', 'alice', 'c') ->> 'status', 'ok', 'a good key begins');
select is((select last_used_hour from backtalk.api_key where key_sha256 = t.hash('alice')),
          date_trunc('hour', now()), 'its use is noted to the hour');
select is((select xmin from backtalk.api_key where key_sha256 = t.hash('alice')),
          (select k.xmin from backtalk.api_key k, (select t.call('w', 'alice', 'c')) x
            where k.key_sha256 = t.hash('alice')), 'the next call does not rewrite its row');
select is(t.row('w', t.begin_sql('alice', 'u', p_user => 'mallory')) ->> 'member_label',
          (select id::text from backtalk.member where name = 'alice'),
          'a member''s own key does not speak for another user');

select backtalk.set_disabled('alice', true);
select is(t.row('w', t.begin_sql('alice', 'c')) ->> 'status', 'unauthorized',
          'a disabled member begins nothing');
select is(t.row('w', format('select backtalk.key_check(%L)', t.hash('alice'))) -> 'key_check', 'false',
          'key_check refuses its key');
select backtalk.set_disabled('alice', false);
select is(t.call('w', 'alice', 'c') ->> 'status', 'ok', 'let in again');
select is(backtalk.revoke_key('alice', 'test'), 1, 'a key is revoked');
select is(t.row('w', t.begin_sql('alice', 'c')) ->> 'status', 'unauthorized',
          'a revoked key begins nothing');
select is(t.row('w', format('select backtalk.key_check(%L)', t.hash('alice'))) -> 'key_check', 'false',
          'key_check refuses it');
select throws_like($$select backtalk.revoke_key('alice', 'test')$$, '%no live key%',
                   'revoking it again says that there is none');
select throws_like($$select backtalk.new_key('bob', 'x')$$, '%no member "bob"%',
                   'no key without a member');
select throws_like($$select backtalk.new_member('a:b')$$, '%no colon%',
                   'a member''s name cannot be that of a front end''s user');
select throws_ok($$select backtalk.new_member('alice')$$, '23505', null, 'names are unique');

-- A front end speaks for its users.
insert into t.keys values ('librechat', backtalk.new_front_end_key('librechat', 'test'));
select is(t.row('w', format('select backtalk.key_check(%L)', t.hash('librechat'))) -> 'key_check', 'true',
          'key_check knows a front end''s key');
select is(t.row('w', t.begin_sql('librechat', 'c', p_user => u)) ->> 'status', 'user',
          'a front end''s key with the user ' || coalesce(quote_literal(u), 'NULL'))
  from unnest(array[null, '', '{{LIBRECHAT_USER_ID}}', 'undefined', 'two words']) as u;
select matches(t.row('w', t.begin_sql('librechat', 'c')) ->> 'message', 'Nothing was run.*X-User-Id',
               'the answer names the header');
select is((select count(*) from backtalk.member where name like 'librechat:%'), 0::bigint,
          'none of these made a member');
select is(t.call('w2', 'librechat', 'c') ->> 'status', 'user', 'nor does a whole call')
  from t.open('w2');
select is(t.row('w', t.begin_sql('librechat', 'c', p_user => '65f0c0ffee')) ->> 'status', 'ok',
          'with one it begins');
select is((select count(*) from backtalk.member where name = 'librechat:65f0c0ffee'), 1::bigint,
          'and the user is a member now');
select isnt(
    t.row('w2', t.begin_sql('librechat', 'c', p_user => 'other')) ->> 'container',
    (select container from backtalk.sandboxes where member = 'librechat:65f0c0ffee'),
    'the same chat of another user is another sandbox');
select backtalk.set_disabled('librechat:other', true);
select is(t.row('w2', t.begin_sql('librechat', 'c', p_user => 'other')) ->> 'status', 'unauthorized',
          'one user of a front end can be disabled');
select * from finish();
