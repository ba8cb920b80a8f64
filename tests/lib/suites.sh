# shellcheck shell=bash
# suites.sh - sourced by run.sh: the suites, what each needs, and how it is run. To add one: its name in
# all_suites, the Debian packages it needs, whether it needs a running Backtalk, its line in run_suite.
# shellcheck disable=SC2034,SC2154 # between here and run.sh

all_suites=(lint unit cover build sql agent gate escape net image e2e corpus reply faults janitor soak bench full)

# A package, or PACKAGE:COMMAND where the command may come from elsewhere too.
packages_for()
{
    case $1 in
        lint) echo clang-format:clang-format clang-tidy:clang-tidy cppcheck:cppcheck shellcheck:shellcheck \
            clang:clang libcmocka-dev mandoc:mandoc pkg-config:pkg-config ;;
        unit) echo libcmocka-dev ;;
        cover) echo clang:clang llvm:llvm-cov ;;
        build) echo clang:clang libcmocka-dev xz-utils:xz ;;
        sql) newest_postgresql | sed 's,.*/postgresql/\([0-9]*\)/.*,postgresql-\1-pgtap,' ;;
        agent)
            echo python3:python3
            # the other architecture, under qemu
            [ "$(uname -m)" = aarch64 ] || echo gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc libc6-dev-arm64-cross \
                qemu-user-static:qemu-aarch64-static
            ;;
        gate) echo python3:python3 nftables:nft ;;
        escape | net) echo python3:python3 ;;
        # a Node from elsewhere brings its own npm, and conflicts with Debian's
        corpus | image | full) echo nodejs:node ;;
        e2e | reply | faults | janitor | soak | bench) echo nodejs:node npm:npm ;;
    esac
}

needs_stack()
{
    case $1 in
        lint | unit | cover | build | sql) return 1 ;;
        *) return 0 ;;
    esac
}

run_suite()
{
    case $1 in
    lint) # layers, formats, scripts, texts; clang-tidy and cppcheck
        "$here/lint/run.sh" "$builds/lint" ;;
    unit) # make check under AddressSanitizer and UndefinedBehaviorSanitizer
        "$here/lib/unit.sh" "$builds" ;;
    cover) # lines of core/ that the fuzz corpora alone reach
        "$here/fuzz/coverage.sh" "$builds" ;;
    build) # gcc and clang, -O0 and -O2, -Werror, -fanalyzer, make distcheck
        "$here/lib/build.sh" "$builds" ;;
    sql) # the record, in a cluster of its own
        "$here/sql/run.sh" ;;
    agent) # the agent over pipes and in a container
        "$here/lib/programs.sh" "$here/agent" ;;
    gate) # HAProxy before a real Docker Engine; network, nginx
        "$here/gate/run.sh" ;;
    escape) # as root inside a sandbox: everything near is out of reach
        "$here/escape/run.sh" ;;
    net) # headers that pretend, requests that crawl and flood
        "$here/net/run.sh" ;;
    image) # the slim machine: languages, habits, limits
        "$here/image/run.sh" ;;
    e2e) # official MCP clients against the stack
        "$here/e2e/run.sh" ;;
    corpus) # real cases of misread results
        "$here/corpus/run.sh" ;;
    reply) # backtalk-reply before a scripted model server
        "$here/reply/run.sh" ;;
    faults) # parts that fail, processes that are killed
        "$here/faults/run.sh" ;;
    janitor) # what is idle, old, too much or lost, and what its chat reads
        "$here/janitor/run.sh" ;;
    soak) # ten chats at work for two minutes while parts fail at random
        "$here/soak/run.sh" 120 10 ;;
    bench) # a warm call against docker exec; memory
        "$here/lib/bench.sh" "$here/bench" ;;
    full) # the full machine: every language, the habits (with --full, or when that image is here)
        "$here/image/run.sh" languages habits ;;
    esac
}
