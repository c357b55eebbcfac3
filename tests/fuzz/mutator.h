// Damages files as bit rot, half-finished copies and hostile authors do. Deterministic: the same generator state and the same
// files give the same damage on every machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

class Random {
public:
    /// One independent generator for each @p index.
    Random(std::uint64_t seed, std::uint64_t index);

    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(m_engine() % limit); }  ///< in [0, limit), limit > 0
    bool oneIn(std::size_t number) { return below(number) == 0; }
    template <typename List>
    const auto& anyOf(const List& list) { return list[below(std::size(list))]; }

private:
    std::mt19937_64 m_engine;
};

class Mutator {
public:
    /// @param contents the whole files of the corpus, from which parts are spliced into others
    explicit Mutator(std::vector<std::string> contents);

    /// Returns @p content with one to eight changes: bits, bytes, integers of any width and order, missing and repeated parts,
    /// parts of other files, extreme numbers, deep nesting, long strings, and characters that text must not hold. Numbers,
    /// quoted strings, brackets and lines are found in the text, so that most results are still well-formed.
    std::string mutated(std::string content, Random& random) const;

private:
    void change(std::string& content, Random& random) const;

    std::vector<std::string> m_contents;
};

/// A part of a text that a reader sees as a unit.
struct Element {
    enum class Kind { Number, String, Brackets, Line };
    Kind kind;
    std::size_t begin;
    std::size_t size;  ///< with quotes, brackets or the newline
};

/// All elements of @p text, nested ones too; never throws, whatever the bytes are.
std::vector<Element> elementsOf(std::string_view text);

}  // namespace fuzz
