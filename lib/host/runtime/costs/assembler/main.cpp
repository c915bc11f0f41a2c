// What g++ calls in place of the assembler where a program is compiled to be counted: it adds the
// counters (instrumentation.h) and calls the assembler. g++ finds it by -B, as a program `as`.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "instrumentation.h"

namespace {

/// The assembler's file of text: the last word that is no option and no option's value.
std::size_t source_among(const std::vector<std::string>& words) {
    std::size_t found = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "-o" || words[i] == "-I") {
            ++i;
        } else if (words[i].empty() || words[i][0] != '-') {
            found = i;
        }
    }
    return found;
}

int assemble(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        execvp("as", arguments.data());
        std::perror("as");
        _exit(127);
    }
    int state = 0;
    if (child < 0 || waitpid(child, &state, 0) != child) return 1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}

}  // namespace

int main(int count, char** given) {
    std::vector<std::string> words(given, given + count);
    words[0] = "as";
    const std::size_t source = source_among(words);
    if (source == 0) return assemble(words);
    std::ifstream in(words[source]);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
        std::cerr << words[source] << ": cannot be read\n";
        return 1;
    }
    const std::string counted = words[source] + ".counted.s";
    std::ofstream out(counted);
    const std::string self = given[0];  // g++ gives the whole path
    const std::string folder = self.substr(0, self.rfind('/'));
    out << cuset_host::costs::with_counters(text, {folder, CUSET_HOST_FOLDER});
    out.close();
    if (!out) {
        std::cerr << counted << ": cannot be written\n";
        return 1;
    }
    words[source] = counted;
    const int code = assemble(words);
    std::remove(counted.c_str());
    return code;
}
