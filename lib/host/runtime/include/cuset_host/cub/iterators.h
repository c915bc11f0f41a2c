// CUB's iterators, of versions before 3.
#pragma once

#include <cuset_host/cub/device_algorithms.h>

namespace cub {

/// What an iterator with a place does. Self has advance(n), distance_from(other) and operator*.
template <class Self, class T, class Offset>
class placed_iterator {
public:
    using value_type = T;
    using difference_type = Offset;
    using reference = T;
    using pointer = T*;
    using iterator_category = std::random_access_iterator_tag;
    template <class N>
    T operator[](N i) const {
        return *(self() + i);
    }
    template <class N>
    Self operator+(N i) const {
        Self moved = self();
        return moved += i;
    }
    template <class N, std::enable_if_t<std::is_integral_v<N>, int> = 0>
    Self operator-(N i) const {
        Self moved = self();
        return moved -= i;
    }
    template <class N>
    Self& operator+=(N i) {
        self().advance(static_cast<std::ptrdiff_t>(i));
        return self();
    }
    template <class N>
    Self& operator-=(N i) {
        self().advance(-static_cast<std::ptrdiff_t>(i));
        return self();
    }
    Self& operator++() { return *this += 1; }
    Self operator++(int) {
        const Self before = self();
        *this += 1;
        return before;
    }
    Offset operator-(const Self& other) const { return self().distance_from(other); }
    bool operator==(const Self& other) const { return self().distance_from(other) == 0; }
    bool operator!=(const Self& other) const { return !(*this == other); }

private:
    Self& self() { return static_cast<Self&>(*this); }
    const Self& self() const { return static_cast<const Self&>(*this); }
};

template <class T, class Offset = std::ptrdiff_t>
class CountingInputIterator : public placed_iterator<CountingInputIterator<T, Offset>, T, Offset> {
public:
    explicit CountingInputIterator(T first) : at_(first) {}
    T operator*() const { return at_; }
    void advance(std::ptrdiff_t i) { at_ = static_cast<T>(at_ + static_cast<T>(i)); }
    Offset distance_from(const CountingInputIterator& other) const {
        return static_cast<Offset>(at_ - other.at_);
    }

private:
    T at_;
};

template <class T, class Offset = std::ptrdiff_t>
class ConstantInputIterator : public placed_iterator<ConstantInputIterator<T, Offset>, T, Offset> {
public:
    explicit ConstantInputIterator(T value, Offset at = 0) : value_(value), at_(at) {}
    T operator*() const { return value_; }
    void advance(std::ptrdiff_t i) { at_ += static_cast<Offset>(i); }
    Offset distance_from(const ConstantInputIterator& other) const { return at_ - other.at_; }

private:
    T value_;
    Offset at_;
};

template <class T, class Op, class In, class Offset = std::ptrdiff_t>
class TransformInputIterator
    : public placed_iterator<TransformInputIterator<T, Op, In, Offset>, T, Offset> {
public:
    TransformInputIterator(In in, Op op) : in_(in), op_(op) {}
    T operator*() const { return op_(*in_); }
    void advance(std::ptrdiff_t i) { in_ = in_ + i; }
    Offset distance_from(const TransformInputIterator& other) const {
        return static_cast<Offset>(in_ - other.in_);
    }

private:
    In in_;
    mutable Op op_;
};

template <class In, class Offset = std::ptrdiff_t, class T = cuset_host::item_of<In>>
class ArgIndexInputIterator : public placed_iterator<ArgIndexInputIterator<In, Offset, T>,
                                                     KeyValuePair<Offset, T>, Offset> {
public:
    ArgIndexInputIterator(In in, Offset at = 0) : in_(in), at_(at) {}
    KeyValuePair<Offset, T> operator*() const { return {at_, in_[at_]}; }
    void advance(std::ptrdiff_t i) { at_ += static_cast<Offset>(i); }
    Offset distance_from(const ArgIndexInputIterator& other) const { return at_ - other.at_; }
    void normalize() {
        in_ = in_ + at_;
        at_ = 0;
    }

private:
    In in_;
    Offset at_;
};

}  // namespace cub
