// From where a thread has called a function in which the lanes of a warp meet by what they run
// (coalesced_threads(), __activemask()): those of two calls are apart on a GPU, though the line in
// the function is one. The translation writes at_call() around the names of such functions.
#pragma once

namespace cuset_host {

/// Of the thread that runs: a hash of the calls that it is in; 0 outside of all.
extern __constinit thread_local unsigned call_place;

/// A call, until the end of the expression that it stands in. `number`: of its place in the text.
class at_call {
public:
    explicit at_call(unsigned number) : before_(call_place) {
        call_place = (before_ ^ number) * 0x9e3779b1U + 1;
    }
    ~at_call() { call_place = before_; }
    at_call(const at_call&) = delete;
    at_call& operator=(const at_call&) = delete;
    template <class F>
    F&& of(F&& function) const {
        return static_cast<F&&>(function);
    }

private:
    unsigned before_;
};

}  // namespace cuset_host
