/* test_program_names.c - the file and the main class of programs as models write them. */
#include "config.h"

#include "core/program_names.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena *a;

static void
check(const char *code, const char *file, const char *main_class)
{
    static const struct language java = {.file = "Main.java", .class_file = true};
    struct program_names got;

    program_names(&java, code, a, &got);
    if (strcmp(got.file, file) != 0 || strcmp(got.main, main_class) != 0)
        fail_msg("%s, %s of: %s", got.file, got.main, code);
}

static void
java(void **state)
{
    (void)state;
    check("public class Two { public static void main(String[] a) {} }", "Two.java", "Two");
    check("class Two { static void main (String[] a) {} }", "Main.java", "Two");
    check("class Node { int x; }\npublic class Sum {\n void f() {}\n static void main(String... a)"
          " { } }",
          "Sum.java", "Sum");
    check("public interface Shape {}\nclass App { public static void main(String[] a) {} }",
          "Shape.java", "App");
    check("package a.b;\nimport java.util.*;\npublic final class X { static void main(String[] a)"
          " {} }",
          "X.java", "a.b.X");
    check("record P(int x) {}\nenum E { A }\npublic class Q { class In { void main() {} }\n"
          "public static void main(String[] s) {} }",
          "Q.java", "Q");
    check("public enum E { A; public static void main(String[] s) {} }", "E.java", "E");
    check("class A { }\nclass B { }", "Main.java", "A");
    check("@interface N {}\npublic record R(int x) { public static void main(String[] s) {} }",
          "R.java", "R");
}

static void
words_that_are_none(void **state)
{
    (void)state;
    check("// public class No {\n/* class Nor { void main( */ class A { static void main(String[] "
          "a) { } }",
          "Main.java", "A");
    check("class A { String s = \"} public class No { main(\"; char c = '\\''; char d = '\"'; char "
          "e = '}';\nstatic void main(String[] a) {} }",
          "Main.java", "A");
    check("class A { String s = \"\"\"\n } class B { \" \\\"\n\"\"\"; static void main(String[] a) "
          "{} }",
          "Main.java", "A");
    check("class A { int main = 1; void f() { int x = main; } } class B { static void "
          "main(String[] a) {} }",
          "Main.java", "B");
    check("public static class_x; class A { static void main(String[] a) {} }", "Main.java", "A");
}

static void
scala(void **state)
{
    static const struct language row = {.file = "main.scala", .class_file = true};
    struct program_names got;

    (void)state;
    program_names(&row, "object Hello extends App { println('x) }", a, &got);
    assert_string_equal(got.file, "main.scala");
    assert_string_equal(got.main, "Hello");
    program_names(&row,
                  "case class P(x: Int)\nobject P { }\nobject Run {\n def main(args: "
                  "Array[String]): Unit = { } }",
                  a, &got);
    assert_string_equal(got.main, "Run");
}

static void
broken_code(void **state)
{
    static const char *const texts[] = {
        "",    "class", "public class",     "package", "}}}} class", "/* class A {",
        "\"",  "'",     "\"\"\" class A {", "//",      "\\",         "class {",
        "'\\",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        check(texts[i], "Main.java", "Main");
    check("class A { '", "Main.java", "A");
    check(arena_printf(a, "public class A%0200d { static void main(", 1), "Main.java", "Main");
}

static void
other_languages(void **state)
{
    static const struct language python = {.file = "main.py"};
    struct program_names got;

    (void)state;
    program_names(&python, "public class A { void main() {} }", a, &got);
    assert_string_equal(got.file, "main.py");
    assert_string_equal(got.main, "main");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(java),
        cmocka_unit_test(words_that_are_none),
        cmocka_unit_test(scala),
        cmocka_unit_test(broken_code),
        cmocka_unit_test(other_languages),
    };
    int failed;

    a = arena_new(4096);
    failed = cmocka_run_group_tests_name("program_names", tests, NULL, NULL);
    arena_free(a);
    return failed;
}
