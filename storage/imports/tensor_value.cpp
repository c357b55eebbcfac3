#include "storage/imports/tensor_value.h"

#include "engine/contract/formats/float_formats.h"
#include "engine/contract/records/protobuf_reader.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace storage {
namespace {

using contract::ProtobufReader;
using Type = ProtobufReader::Type;

/// TensorFlow's DataType.
enum DataType : std::uint64_t {
    kFloat = 1, kDouble = 2, kInt32 = 3, kUint8 = 4, kInt16 = 5, kInt8 = 6, kString = 7, kInt64 = 9, kBool = 10, kBfloat16 = 14,
    kUint16 = 17, kHalf = 19, kUint32 = 22, kUint64 = 23
};

template <typename Word>
std::optional<Word> only(std::string_view content)
{
    Word word {};
    if (content.size() != sizeof word)
        return std::nullopt;
    std::memcpy(&word, content.data(), sizeof word);
    return word;
}

template <typename Word>
std::optional<double> onlyNumber(std::string_view content)
{
    const auto word = only<Word>(content);
    return word ? std::optional(static_cast<double>(*word)) : std::nullopt;
}

double fromHalf(std::uint64_t type, std::uint16_t bits)
{
    float value = 0;
    contract::toFloats(type == kHalf ? "F16" : "BF16", &bits, 1, &value);
    return value;
}

/// The content of "tensor_content": raw little-endian numbers.
std::optional<double> fromContent(std::uint64_t type, std::string_view content)
{
    switch (type) {
    case kFloat:
        return onlyNumber<float>(content);
    case kDouble:
        return onlyNumber<double>(content);
    case kInt32:
        return onlyNumber<std::int32_t>(content);
    case kUint8:
    case kBool:
        return onlyNumber<std::uint8_t>(content);
    case kInt16:
        return onlyNumber<std::int16_t>(content);
    case kInt8:
        return onlyNumber<std::int8_t>(content);
    case kInt64:
        return onlyNumber<std::int64_t>(content);
    case kUint16:
        return onlyNumber<std::uint16_t>(content);
    case kUint32:
        return onlyNumber<std::uint32_t>(content);
    case kUint64:
        return onlyNumber<std::uint64_t>(content);
    case kHalf:
    case kBfloat16: {
        const auto bits = only<std::uint16_t>(content);
        return bits ? std::optional(fromHalf(type, *bits)) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

/// A varint of one of the fields for integers.
double fromVarint(std::uint64_t type, std::uint64_t bits)
{
    switch (type) {
    case kUint64:
        return static_cast<double>(bits);
    case kHalf:
    case kBfloat16:
        return fromHalf(type, static_cast<std::uint16_t>(bits));
    default:
        return static_cast<double>(static_cast<std::int64_t>(bits));
    }
}

/// Whether the field holds a tensor's numbers as varints: int_val, int64_val, bool_val, half_val, uint32_val, uint64_val.
bool isVarints(unsigned field) { return field == 7 || field == 10 || field == 11 || field == 13 || field == 16 || field == 17; }

}  // namespace

std::optional<double> numberOf(std::string_view tensor)
{
    constexpr unsigned kTypeField = 1, kContent = 4, kFloats = 5, kDoubles = 6;
    std::uint64_t type = 0;
    std::optional<double> number;
    int numbers = 0;
    const auto add = [&](std::optional<double> value) {
        number = value;
        numbers += value ? 1 : 2;
    };
    ProtobufReader reader(tensor);
    while (reader.next()) {
        const bool isBytes = reader.type() == Type::Bytes;
        if (reader.is(kTypeField, Type::Varint))
            type = reader.number();
        else if (reader.is(kContent, Type::Bytes))
            add(fromContent(type, reader.bytes()));
        else if (reader.field() == kFloats || reader.field() == kDoubles)
            add(!isBytes ? reader.real() : fromContent(reader.field() == kFloats ? kFloat : kDouble, reader.bytes()));
        else if (isVarints(reader.field()) && reader.type() == Type::Varint)
            add(fromVarint(type, reader.number()));
        else if (isVarints(reader.field()) && isBytes) {
            std::uint64_t bits = 0;
            for (std::string_view packed = reader.bytes(); !packed.empty();)
                add(ProtobufReader::takeVarint(packed, bits) ? std::optional(fromVarint(type, bits)) : std::nullopt);
        }
    }
    return numbers == 1 && !reader.isDamaged() ? number : std::nullopt;
}

std::vector<std::string_view> textsOf(std::string_view tensor)
{
    constexpr unsigned kTypeField = 1, kTexts = 8;
    std::uint64_t type = 0;
    std::vector<std::string_view> texts;
    ProtobufReader reader(tensor);
    while (reader.next()) {
        if (reader.is(kTypeField, Type::Varint))
            type = reader.number();
        else if (reader.is(kTexts, Type::Bytes))
            texts.push_back(reader.bytes());
    }
    return type == kString && !reader.isDamaged() ? texts : std::vector<std::string_view>();
}

}  // namespace storage
