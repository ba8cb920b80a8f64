"""Headers that pretend: whoever sends them ends in a machine of the sender's key or in none."""

import os
import stat

from client import Member, body
from tap import ok, same


def person(one, two):
    """A person's key is that person, whatever else the request says."""
    mine, theirs = one.machine(), two.machine(chat=one.chat)
    ok(mine and theirs and mine != theirs, "two members with one conversation id have two machines", (mine, theirs))
    for header in (f"X-User-Id: {two.name}", f"X_User_Id: {two.name}", f"HTTP_X_USER_ID: {two.name}",
                   "X-Member: 1", f"Backtalk-Conversation: {two.chat}", f"BACKTALK_CONVERSATION: {two.chat}",
                   "X-Forwarded-User: root", "Remote-User: root", "X-Original-Url: /mcp/c/x", "X-HTTP-Method: GET",
                   f"X_Conversation_Id: {two.chat}", f"Cookie: Authorization=Bearer {two.key}",
                   f"Authorization_: Bearer {two.key}", f"Proxy-Authorization: Bearer {two.key}"):
        same(one.machine(headers=(header,)), mine, f"a person's key with {header.split(':')[0]}")
    for header in (f"Authorization: Bearer {two.key}", f"authorization: bearer {two.key}"):
        got = one.machine(headers=(header,))
        ok(got in (None, mine), "a second Authorization does not count", got)
    for header in (f"X-Conversation-Id: {two.chat}", f"x-conversation-id: {two.chat}"):
        got = one.machine(headers=(header,))
        ok(got in (None, mine), "a second X-Conversation-Id does not count", got)
    return mine, theirs


def front_end(web, name):
    """A front end's key: one user is never another, however the header is bent."""
    with Member(web, name, front_end=True) as house:
        alice = house.machine(headers=("X-User-Id: alice",))
        bob = house.machine(headers=("X-User-Id: bob",))
        ok(alice and bob and alice != bob, "two users of a front end have two machines", (alice, bob))
        same(house.machine(), None, "without a user there is no machine")
        for what, headers in {
            "an underscore": ("X-User-Id: alice", "X_User_Id: bob"),
            "an underscore first": ("X_User_Id: bob", "X-User-Id: alice"),
            "the name of the parameter": ("X-User-Id: alice", "HTTP_X_USER_ID: bob"),
            "twice": ("X-User-Id: alice", "X-User-Id: bob"),
            "twice, in another case": ("X-User-Id: alice", "x-user-id: bob"),
            "a list": ("X-User-Id: alice, bob",),
            "a fold": ("X-User-Id: alice\r\n bob",),
            "a space before the colon": ("X-User-Id: alice", "X-User-Id : bob"),
            "a NUL": ("X-User-Id: alice\0bob",),
            "a carriage return": ("X-User-Id: alice\rX-User-Id: bob",),
            "a parameter in its value": ("X-User-Id: alice\x0e\x03HTTP_X_USER_IDbob",),
            "bytes above ASCII": ("X-User-Id: b\xf6b",),
            "percent signs": ("X-User-Id: %62ob",),
            "not expanded": ("X-User-Id: {{LIBRECHAT_USER_ID}}",),
            "empty": ("X-User-Id: ",),
        }.items():
            got = house.machine(headers=headers)
            ok(got != bob, f"a user with {what} is not bob", got)
        same(house.machine(headers=("X-User-Id: alice",)), alice, "and alice is still alice")


def addresses(one, two, mine, theirs):
    """The conversation in the address carries nothing else with it."""
    anonymous = [h for h in one.headers() if not h.startswith("X-Conversation")]
    for tail in (f"{two.chat}%0d%0aX-User-Id:%20bob", f"x%00{two.chat}", f"..%2f{two.chat}", f"{two.chat}%0aHTTP_X_USER_ID=bob",
                 f"{two.chat}/../{two.chat}", f"%2e%2e/{two.chat}"):
        got = one.machine(target=f"/mcp/c/{tail}", own=anonymous)
        ok(got not in (mine, theirs), f"/mcp/c/{tail[:14]}... is no machine of others", got)
    got = one.machine(target=f"/mcp/c/{two.chat}", own=anonymous)
    ok(got not in (mine, theirs), "another's conversation in the address is a machine of one's own", got)


def lengths(one, mine):
    """Two readers must not disagree where a request ends."""
    inner = ("POST /mcp HTTP/1.1\r\nHost: test\r\n" + "\r\n".join(one.headers()) + "\r\nContent-Length: {}\r\n\r\n")
    second = body(command="echo smuggled > /work/smuggled")
    smuggled = inner.format(len(second)).encode() + second
    for what, headers in {
        "both lengths": ("Transfer-Encoding: chunked",),
        "a coding nobody knows": ("Transfer-Encoding: xchunked",),
        "a coding after a tab": ("Transfer-Encoding:\tchunked",),
        "two lengths": ("Content-Length: 3",),
        "a length with a plus": ("Content-Length: +5",),
    }.items():
        one.send(b"0\r\n\r\n" + smuggled, headers=headers)
        status, text = one.send(body(command="ls /work/smuggled"))
        ok(status == 200 and "No such file" in text, f"nothing is smuggled: {what}", text[:300])
    same(one.machine(), mine, "the machine is still the same")


def check(web, one, two):
    mine, theirs = person(one, two)
    front_end(web, f"net-house-{os.getpid()}")
    addresses(one, two, mine, theirs)
    lengths(one, mine)
    path = f"/run/quickstart-{os.environ['BACKTALK_INSTANCE']}/fcgi.sock"
    same(stat.S_IMODE(os.stat(path).st_mode) & 0o077, 0, "only the web server may speak FastCGI to the workers")
