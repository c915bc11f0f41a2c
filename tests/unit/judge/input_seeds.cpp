// The start file that gives gen.py other seeds, in the Python of this machine.
#include "tasks/input_seeds.h"

#include <cstdio>
#include <set>

#include "programs.h"
#include "sandbox/room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

namespace {

/// What a program prints, line by line, for one set of inputs.
std::vector<std::string> lines_of(const fs::path& folder, const std::string& python,
                                  const std::string& key, const std::string& program) {
    std::ofstream(folder / "sitecustomize.py") << input_seeds_py;
    std::ofstream(folder / "p.py") << program;
    const std::string command =
        "env -i PATH=/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=" + folder.string() + ' ' +
        inputs_variable + '=' + key + ' ' + python + ' ' + (folder / "p.py").string() + " 2>&1";
    std::vector<std::string> lines;
    std::FILE* out = ::popen(command.c_str(), "r");
    BOOST_REQUIRE(out != nullptr);
    char line[4096];
    while (std::fgets(line, sizeof line, out) != nullptr) lines.emplace_back(line);
    BOOST_TEST(::pclose(out) == 0, command << (lines.empty() ? "" : lines.back()));
    return lines;
}

/// Each line differs from set to set.
void varies(const std::string& python, const std::string& program) {
    const own_folder room;
    const auto first = lines_of(room.folder, python, "1", program);
    const auto second = lines_of(room.folder, python, "2", program);
    BOOST_REQUIRE((first.size() > 1 && second.size() == first.size()));
    for (std::size_t i = 0; i < first.size(); ++i)
        BOOST_TEST(first[i] != second[i], "line " << i << ": " << first[i]);
    BOOST_TEST(std::set<std::string>(first.begin(), first.end()).size() == first.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(input_seeds)

BOOST_AUTO_TEST_CASE(of_the_standard_library) {
    const std::string program =
        "import random\n"
        "print(random.random())\n"
        "random.seed(42)\na = random.random()\nprint(a)\n"
        "random.seed(42)\nassert a == random.random()\n"
        "print(random.Random(7).random())\n"
        "print(random.Random().random())\n"
        "random.seed('text')\nprint(random.gauss(0, 1))\n"
        "from random import shuffle\nx = list(range(50))\nshuffle(x)\nprint(x)\n";
    varies("python3", program);
    // The same set is the same again.
    const own_folder room;
    BOOST_TEST((lines_of(room.folder, "python3", "1", program) ==
                lines_of(room.folder, "python3", "1", program)));
}

BOOST_AUTO_TEST_CASE(of_numpy_and_torch) {
    const std::string python = CUSET_DEPS_DIR "/oracle/bin/python3";
    if (!fs::exists(python)) {
        BOOST_TEST_MESSAGE("skipped: no " << python);
        return;
    }
    varies(python,
           "import numpy as np\nfrom numpy.random import default_rng, rand\n"
           "print(rand())\n"
           "np.random.seed(42)\na = np.random.rand()\nprint(a)\n"
           "np.random.seed(np.int64(42))\nassert a == np.random.rand()\n"
           "print(np.random.RandomState(3).rand())\n"
           "assert isinstance(np.random.RandomState(3), np.random.RandomState)\n"
           "print(default_rng(5).random())\n"
           "print(default_rng().random())\n"
           "print(np.random.Generator(np.random.PCG64(9)).random())\n"
           "print(np.random.Generator(np.random.Philox(key=3)).random())\n"
           "print(default_rng(np.random.SeedSequence(4)).random())\n"
           "print(np.random.RandomState(np.random.MT19937(8)).rand())\n"
           "np.random.seed([1, 2])\nprint(np.random.randn())\n"
           "import torch\n"
           "print(torch.rand(1).item())\n"
           "torch.manual_seed(42)\nprint(torch.rand(1).item())\n"
           "g = torch.Generator(device='cpu')\nprint(torch.rand(1, generator=g).item())\n"
           "print(torch.rand(1, generator=g.manual_seed(3)).item())\n");
}

BOOST_AUTO_TEST_SUITE_END()
