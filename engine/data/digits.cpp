#include "engine/data/digits.h"

#include "engine/comm/errors.h"
#include "engine/data/gzip_text.h"
#include "engine/data/permutation.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace engine {
namespace {

constexpr std::int64_t kSide = 8;
constexpr std::int64_t kPixels = kSide * kSide;
constexpr int kBrightest = 16;
constexpr std::int64_t kClasses = 10;
constexpr std::size_t kMaxBytes = std::size_t {64} << 20;

/// Quotes a malformed field for a one-line message: shortened, with ? for unprintable characters.
std::string quoted(std::string_view field)
{
    constexpr std::size_t kMaxShown = 20;
    std::string shown(field.substr(0, kMaxShown));
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return '"' + shown + (field.size() > kMaxShown ? "…\"" : "\"");
}

/// Parses lines into rows, and keeps the line number for error messages.
class DigitParser {
public:
    explicit DigitParser(const std::filesystem::path& file)
        : m_file(file)
    {
    }

    void parse(std::string_view text)
    {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            ++m_line;
            parseLine(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        if (m_labels.empty())
            throw EngineError(EngineError::Kind::Failure, m_file.string() + ": has no rows");
    }

    const std::vector<float>& pixels() const { return m_pixels; }
    const std::vector<std::int64_t>& labels() const { return m_labels; }

private:
    [[noreturn]] void fail(const std::string& fault) const
    {
        throw EngineError(EngineError::Kind::Failure,
            m_file.string() + ", line " + std::to_string(m_line) + ": " + fault);
    }

    void parseLine(std::string_view line)
    {
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        const auto columns = line.empty() ? 0 : std::count(line.begin(), line.end(), ',') + 1;
        if (columns != kPixels + 1)
            fail("has " + std::to_string(columns) + " columns, must have "
                + std::to_string(kPixels + 1) + " (64 pixels and a label)");
        for (std::int64_t column = 1; column <= kPixels; ++column)
            m_pixels.push_back(static_cast<float>(takeNumber(line, column, kBrightest)) / 8.0F - 1.0F);
        m_labels.push_back(takeNumber(line, kPixels + 1, kClasses - 1));
    }

    /// Removes the first field from @p rest and returns its value.
    std::int64_t takeNumber(std::string_view& rest, std::int64_t column, std::int64_t most) const
    {
        const std::string_view field = rest.substr(0, rest.find(','));
        std::int64_t value = -1;
        const auto result = std::from_chars(field.data(), field.data() + field.size(), value);
        if (result.ec != std::errc() || result.ptr != field.data() + field.size() || value < 0
            || value > most)
            fail("column " + std::to_string(column) + " is " + quoted(field)
                + ", must be an integer from 0 to " + std::to_string(most));
        rest.remove_prefix(std::min(field.size() + 1, rest.size()));
        return value;
    }

    const std::filesystem::path& m_file;
    std::int64_t m_line = 0;
    std::vector<float> m_pixels;
    std::vector<std::int64_t> m_labels;
};

LabelledImages rows(const DigitParser& all, const std::vector<std::int64_t>& order, std::size_t first,
    std::size_t last)
{
    const auto count = static_cast<std::int64_t>(last - first);
    LabelledImages chosen {.images = at::empty({count, 1, kSide, kSide}, at::kFloat),
        .labels = at::empty({count}, at::kLong),
        .classes = kClasses};
    auto* pixel = chosen.images.mutable_data_ptr<float>();
    auto* label = chosen.labels.mutable_data_ptr<std::int64_t>();
    for (std::size_t position = first; position < last; ++position) {
        const std::int64_t row = order[position];
        pixel = std::copy_n(all.pixels().begin() + row * kPixels, kPixels, pixel);
        *label++ = all.labels()[static_cast<std::size_t>(row)];
    }
    return chosen;
}

}  // namespace

DataSplit loadDigits(
    const std::filesystem::path& gzippedCsv, double validationFraction, std::uint64_t seed)
{
    if (!(validationFraction >= 0 && validationFraction < 1))
        throw EngineError(EngineError::Kind::Failure,
            "the validation fraction must be at least 0 and less than 1");
    DigitParser all(gzippedCsv);
    all.parse(readGzipText(gzippedCsv, kMaxBytes));

    const std::size_t count = all.labels().size();
    const auto requested
        = static_cast<std::size_t>(std::llround(validationFraction * static_cast<double>(count)));
    const std::size_t heldOut = std::min(requested, count - 1);
    const auto order = randomPermutation(static_cast<std::int64_t>(count), seed, 0);
    return {.training = rows(all, order, heldOut, count), .validation = rows(all, order, 0, heldOut)};
}

}  // namespace engine
