// What a program that holds several tests does: it runs the one it was started by the name of (see atelier_test in tests/CMakeLists.txt).
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

struct NamedTest {
    const char* name;
    int (*main)(int argc, char** argv);
};

inline int runNamedTest(std::initializer_list<NamedTest> tests, int argc, char** argv)
{
    const char* slash = std::strrchr(argv[0], '/');
    const char* started = slash ? slash + 1 : argv[0];
    const char* parent = std::getenv("ATELIER_TEST");  // a test that starts itself again does not know the link
    for (const char* name : {started, parent ? parent : ""}) {
        for (const NamedTest& test : tests) {
            if (std::strcmp(test.name, name) == 0) {
                ::setenv("ATELIER_TEST", name, 1);
                return test.main(argc, argv);
            }
        }
    }
    std::fprintf(stderr, "%s holds several tests. Start one by the link of its name:", started);
    for (const NamedTest& test : tests)
        std::fprintf(stderr, " %s", test.name);
    std::fputc('\n', stderr);
    return 2;
}
