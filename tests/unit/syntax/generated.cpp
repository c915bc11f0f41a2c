// Programs assembled at random from difficult fragments around kernels and launches. Their extents
// are known because the fragments mark them.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <functional>
#include <random>

#include "marked.h"

using cuset_test::check;

namespace {

// Set CUSET_TEST_SEED to run another series; a failure names its program's seed.
unsigned first_seed() {
    const char* text = std::getenv("CUSET_TEST_SEED");
    return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 1;
}

// Programs with their spans marked as in marked.h.
class generator {
public:
    explicit generator(unsigned seed) : random_(seed) {}

    std::string program() {
        std::string out;
        for (int i = roll(6) + 1; i > 0; --i) out += top_level();
        return out;
    }

    // Sometimes with the line ends of Windows.
    std::string vary(std::string source) {
        if (roll(4) != 0) return source;
        std::string out;
        for (char c : source) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
        return out;
    }

    std::string fenced() {
        std::string out = "Use `__global__ void no() { }` and no<<<1, 1>>>(), don't \"worry {\n\n";
        for (int i = roll(3) + 1; i > 0; --i) {
            const std::string mark = pick({"```", "````", "~~~", "~~~~~"});
            out += mark + pick({"cuda", "cpp", "c++", "", "c", "cu"}) + "\n";
            out += "int before;\n" + program() + mark + "\n\nAnd __global__ void no() { } so.\n";
        }
        return out;
    }

    // In a raw string; no program here contains triple quotes of that kind.
    std::string python() {
        return "import torch\n\n# __global__ void no() { }\nsource = r'''\n" + program() +
               "'''\nprint(source, '__global__')\n";
    }

private:
    int roll(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    std::string pick(std::initializer_list<const char*> options) {
        return *(options.begin() + roll(static_cast<int>(options.size())));
    }
    std::string name() {
        return pick({"k", "q", "add_vec", "_x", "K9"}) + std::to_string(roll(100));
    }
    std::string blank() {
        return pick(
            {" ", "\n", "  ", "\t", " /* } */ ", " // {\n", " /* k<<<1,1>>>() */ ", " \\\n"});
    }

    std::string dead() {
        return pick(
            {"// __global__ void no() { no<<<1, 1>>>(); \\\n } {\n",
             "/* __global__ void no() { ' \" */ ",
             "#if 0\n__global__ void no() { don't {\n#endif\n",
             "#if 0\n{ #else\n#ifdef A\n#else\n}\n#endif\n no<<<1, 1>>>();\n#else\n;\n#endif\n",
             "#if 1\n;\n#else\n} __global__ void no() { }\n#endif\n", "#error it's { not\n",
             "#pragma unroll {\n", "#include \"{.h\"\n", "#if false // {\n } ' \n#endif\n",
             "#define OPEN_BRACE {\n", "#define MANY \\\n } } ( \\\n } /* \n */ {\n"});
    }
    std::string literal() {
        return pick({"\"{ \\\" } // \"", "'{'", "'\\''", "'\"'", "R\"({ \" )\"", "u8R\"x({)\" )x\"",
                     "L\"}\"", "1'000'000", "\"/*\"", "\"a\\\n{\"", "0xF'F", "\"<<<\"", "'>'",
                     "R\"(\n#if 0\n)\"", "U'}'", "1e-3f", "\"\\\\\""});
    }
    std::string statement(int depth) {
        std::string out;
        switch (roll(depth > 3 ? 6 : 12)) {
            case 0: out = "x = " + literal() + ";"; break;
            case 1: out = "f(" + literal() + ", " + literal() + ");"; break;
            case 2: out = "a[i] <<= b >> c;"; break;
            case 3: out = "\n" + dead(); break;
            case 4: out = ";" + blank(); break;
            case 5: out = "if (a < b && c > d) y->z--;"; break;
            case 6: out = "{" + statements(depth + 1) + "}"; break;
            case 7: out = "for (int i = 0; i < n; ++i) {" + statements(depth + 1) + "}"; break;
            case 8: out = "auto l = [&](int v) {" + statements(depth + 1) + "};"; break;
            case 9: out = "UNROLL(4) {" + statements(depth + 1) + "} MACRO else"; break;
            case 10:
                out = "\n#ifdef C" + std::to_string(roll(3)) + "\n" + statements(depth + 1) +
                      pick({"\n#else\n", "\n#elif D\n"}) + statements(depth + 1) + "\n#endif\n";
                break;
            case 11: out = launch(); break;
        }
        return out + blank();
    }
    std::string statements(int depth) {
        std::string out = blank();
        for (int i = roll(4); i > 0; --i) out += statement(depth);
        return out;
    }
    // Conditionals that open a brace on one side, or on both.
    std::string split() {
        const std::string c = name();
        return (roll(2) == 0
                    ? "\n#ifdef " + c + "\nif (a) {\n#else\nif (b) {\n#endif\nx; }\n"
                    : "\n#ifdef " + c + "\nif (a) {\n#endif\n x;\n#ifdef " + c + "\n}\n#endif\n");
    }
    std::string launch() {
        const std::string k = name();
        const std::string callee =
            pick({"", "ns::", "ns::s<int>::", "p->", "this->"}) + k +
            pick({"", "", "<float>", "<a<b<c>>>", "<(a > b), 3>", "<a<b> >"});
        const std::string configuration =
            pick({"1, 2", "g, b, sizeof(a<b<c>>), s", "dim3(1, (2)), n >> 3, 1 << 4", "",
                  "g /* >>> */, b", "n < 5 ? 1 : 2, b", "g, a->b, \">>>\"[0]", "g,\n  b,\n  0",
                  "g, v<int>::x", "(a > b), c", "[] { return 1; }(), 2", "g, v<a<b<c>>>::x, 3",
                  "\n#ifdef A\n1\n#else\n2\n#endif\n, 3"});
        const std::string arguments = pick({"(x, y)", "()", "(a, f(b), \")\")", " (x)", "\n(x)"});
        if (roll(3) == 0) {
            const std::string function =
                pick({"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "hipLaunchKernelGGL",
                      "cuLaunchKernel", "hipModuleLaunchKernel"});
            return pick({"CHECK(", "(void)(", "f(a, "}) + "@l:" + k + "[" + function +
                   pick({"", " "}) + "(" + pick({"", "(void*)", "(const void*)&ns::"}) + k +
                   pick({"", "<float>", "<a, b<c>>"}) + ", g, f(b, " + literal() + "), args)@]);";
        }
        return callee + pick({"", " ", "\n"}) + "@l:" + k + "[<<<" + configuration + ">>>@]" +
               arguments + ";";
    }
    std::string kernel() {
        const std::string k = name();
        const std::string before =
            pick({"", "", "static ", "extern \"C\" ", "template <typename T, int N = (1 > 0)> ",
                  "[[maybe_unused]] ", "template <class T> requires C<T> ", "friend "});
        const std::string middle = pick(
            {" void ", " __launch_bounds__(256, 2) void ", " void BOUNDS ", " LB(3) void ",
             " std::enable_if_t<(a > b), void> ", " auto ", " void /* { */ ", " inline void\n"});
        const std::string parameters = pick(
            {"()", "(int* x, int n)", "(T x = {}, int y = f({1}))", "(int (*f)(int), char c = '{')",
             "(int a\n#ifdef A\n, int b\n#endif\n)", "(const T* __restrict__ x /* ) */)"});
        const std::string after =
            pick({"", "", " ", "\n", " noexcept ", " // {\n", " requires (C<T>) "});
        std::string body = statements(0);
        if (roll(4) == 0) body += split();
        const std::string global = roll(8) == 0 ? "__glo\\\nbal__" : "__global__";
        return before + global + middle + k + parameters + after + "@k:" + k + "[{" + body + "}@]";
    }
    std::string top_level() {
        switch (roll(10)) {
            case 0: return dead() + "\n";
            case 1: return "void host() {" + statements(0) + launch() + "}\n";
            case 2: return "namespace n {\n" + kernel() + "\n}\n";
            case 3:
                return "__global__ void declared(int x = f({}));\ntemplate __global__ void "
                       "k<int>(int);\n";
            case 4: {
                const std::string k = name();
                return "#define MAKE_" + k +
                       "(n) __global__ void n(int* x) @k:n[{ x[0] = '{'; \\\n }@]\n";
            }
            case 5:
                return "#ifdef " + name() + "\n" + kernel() + "\n#else\n" + kernel() + "\n#endif\n";
            case 6: return "const char* s = " + literal() + ";\n";
            case 7: return "struct s { int x = {}; " + kernel() + "};\n";
            default: return kernel() + "\n";
        }
    }

    std::mt19937 random_;
};

void run(const char* what, int count, const std::function<std::string(generator&)>& make) {
    const unsigned first = first_seed();
    BOOST_TEST_MESSAGE(what << ": seeds " << first << " to "
                            << first + static_cast<unsigned>(count) - 1);
    for (int i = 0; i < count; ++i) {
        const unsigned seed = first + static_cast<unsigned>(i);
        generator g(seed);
        const std::string source = make(g);
        BOOST_TEST_CONTEXT(what << ", seed " << seed) { check(source); }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(generated)

BOOST_AUTO_TEST_CASE(plain) {
    run("plain", 3000, [](generator& g) { return g.vary("int first;\n" + g.program()); });
}

BOOST_AUTO_TEST_CASE(markdown) {
    run("markdown", 500, [](generator& g) { return g.vary(g.fenced()); });
}

BOOST_AUTO_TEST_CASE(python) {
    run("python", 500, [](generator& g) { return g.vary(g.python()); });
}

BOOST_AUTO_TEST_SUITE_END()
