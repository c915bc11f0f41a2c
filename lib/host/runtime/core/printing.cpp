#include "cuset_host/printing.h"

#include "launch/block_runner.h"

namespace cuset_host {

int printed(int characters, int arguments) {
    return block_runner::current() == nullptr || characters < 0 ? characters : arguments;
}

}  // namespace cuset_host
