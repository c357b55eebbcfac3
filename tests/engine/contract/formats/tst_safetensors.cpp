// Safetensors files: reading in place, rejection of damaged files, writing.
#include "engine/contract/formats/safetensors.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/temporary_name.h"

#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using contract::SafetensorsFile;
using contract::SafetensorsTensor;
using contract::SafetensorsWriter;

namespace {

std::string lengthWord(std::uint64_t length)
{
    std::string word(8, '\0');
    std::memcpy(word.data(), &length, 8);
    return word;
}

/// The bytes of a file with this header, valid or not.
std::string fileOf(const std::string& header, const std::string& data) { return lengthWord(header.size()) + header + data; }

std::string bytesOf(const std::vector<float>& values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// Three tensors: "a" of 2 × 3 float32, "b" without elements, "c" of one byte without dimensions.
const std::string kHeader = R"({"__metadata__":{"format":"pt","note":"grün"},)"
                            R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                            R"("c":{"dtype":"BOOL","shape":[],"data_offsets":[24,25]},)"
                            R"("b":{"dtype":"F8_E4M3","shape":[4,0],"data_offsets":[24,24]}})";
const std::vector<float> kValues = {0, 1, -2.5F, 3e-40F, 4, 5};
std::string wholeFile() { return fileOf(kHeader, bytesOf(kValues) + '\1'); }

}  // namespace

class SafetensorsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path folder() const { return m_root.path().toStdString(); }
    fs::path file() const { return folder() / "some.safetensors"; }
    fs::path written(const std::string& bytes) const
    {
        std::ofstream(file(), std::ios::binary) << bytes;
        return file();
    }
    /// The error message for a file of these bytes; empty when it is accepted. Checks that it is a short line beginning with
    /// the file's path.
    std::string refusal(const std::string& bytes) const
    {
        try {
            const SafetensorsFile opened(written(bytes));
            unsigned sum = 0;
            for (const SafetensorsTensor& tensor : opened.tensors())
                for (const std::byte byte : opened.view(tensor))
                    sum += static_cast<unsigned>(byte);  // every byte is readable
            return sum == ~0U ? "impossible" : "";
        } catch (const std::runtime_error& error) {
            const std::string message = error.what();
            const bool isSentence = message.starts_with(file().string() + ":") && message.size() < 1000 && message.find('\n') == std::string::npos;
            return isSentence ? message : "NO SENTENCE: " + message;
        }
    }
    void requireRefused(const std::string& bytes, const char* part)
    {
        const std::string message = refusal(bytes);
        QVERIFY2(message.find(part) != std::string::npos && !message.starts_with("NO"), message.empty() ? "it was taken" : message.c_str());
    }
    std::size_t filesInFolder() const
    {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()));
    }

private Q_SLOTS:
    /// One process stands for two of the same number, in two containers that share a disk.
    void twoWritersOfOneNameKeepApart_data()
    {
        QTest::addColumn<bool>("isFirstFinished");
        QTest::newRow("defect-12: both finish") << true;
        QTest::newRow("defect-12: the first gives up") << false;
    }
    void twoWritersOfOneNameKeepApart()
    {
        QFETCH(bool, isFirstFinished);
        const QTemporaryDir shared;
        const fs::path target = fs::path(shared.path().toStdString()) / "target";
        {
            contract::AtomicFile first(target, 3), second(target, 6);
            first.output().write("one", 3);
            second.output().write("second", 6);
            if (isFirstFinished)
                first.finish();
            QCOMPARE(fs::exists(target), isFirstFinished);
            second.finish();
        }
        QCOMPARE(contract::fileContent(target, 100), std::string("second"));
        QCOMPARE(std::distance(fs::directory_iterator(target.parent_path()), fs::directory_iterator()), std::ptrdiff_t(1));
    }

    void whoMayNotReplaceLeavesWhatHasAppearedMeanwhile()
    {
        const QTemporaryDir shared;
        const fs::path target = fs::path(shared.path().toStdString()) / "target";
        {
            contract::AtomicFile first(target, 3, contract::Existing::Refuse), second(target, 6, contract::Existing::Refuse);
            first.output().write("one", 3);
            second.output().write("second", 6);
            first.finish();
            int cause = 0;
            try {
                second.finish();
            } catch (const std::system_error& error) {
                cause = error.code().value();
            }
            QCOMPARE(cause, EEXIST);
        }
        QCOMPARE(contract::fileContent(target, 100), std::string("one"));
        QCOMPARE(std::distance(fs::directory_iterator(target.parent_path()), fs::directory_iterator()), std::ptrdiff_t(1));
    }

    void temporaryNamesStandBesideTheirFile()
    {
        std::set<fs::path> names;
        for (int i = 0; i < 1000; ++i)
            names.insert(contract::temporaryName("folder/name"));
        QCOMPARE(names.size(), std::size_t(1000));
        QVERIFY(names.begin()->parent_path() == "folder" && names.begin()->filename().string().starts_with("name.tmp"));
    }

    void init() { fs::remove(file()); }

    void valuesAreReadInPlaceAndCopied()
    {
        const SafetensorsFile opened(written(wholeFile()));
        QVERIFY((opened.metadata() == contract::SafetensorsMetadata {{"format", "pt"}, {"note", "grün"}}));
        QCOMPARE(opened.tensors().size(), 3U);
        QVERIFY(!opened.find("d") && !opened.find("__metadata__"));
        const SafetensorsTensor& a = *opened.find("a");
        QCOMPARE(a.dtype, std::string("F32"));
        QVERIFY(a.shape == std::vector<std::int64_t>({2, 3}));
        QCOMPARE(opened.view(a).size(), 24U);
        QCOMPARE(std::memcmp(opened.view(a).data(), kValues.data(), 24), 0);
        float copied[2];
        opened.read(a, 8, copied, 8);
        QCOMPARE(copied[0], -2.5F);
        QCOMPARE(copied[1], 3e-40F);
        QVERIFY_EXCEPTION_THROWN(opened.read(a, 20, copied, 8), std::logic_error);
        QCOMPARE(opened.find("b")->bytes(), std::uint64_t(0));
        QVERIFY(opened.view(*opened.find("c"))[0] == std::byte {1});
    }

    void whatIsWrongWithATensorIsSaid_data()
    {
        QTest::addColumn<QByteArray>("entries");
        QTest::addColumn<QByteArray>("part");
        const auto row = [](const char* name, const char* entries, const char* part) { QTest::newRow(name) << QByteArray(entries) << QByteArray(part); };
        // Eight bytes of data follow each of these.
        row("sound", R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})", "");
        row("sound, entries in another order", R"("a":{"data_offsets":[0,8],"shape":[2],"dtype":"F32"})", "");
        row("unknown dtype", R"("a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]})", R"(tensor "a" has the unknown dtype "F31")");
        row("negative size", R"("a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]})", R"(tensor "a" has a "shape" of the wrong form)");
        row("fraction", R"("a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})", R"(a "shape" of the wrong form)");
        row("more than 64 bits", R"("a":{"dtype":"F32","shape":[18446744073709551618],"data_offsets":[0,8]})", R"(a "shape" of the wrong form)");
        row("product overflows", R"("a":{"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,8]})", "an impossible shape");
        row("overflow beside zero", R"("a":{"dtype":"F32","shape":[1125899906842624,1125899906842624,0],"data_offsets":[0,0]})", "an impossible shape");
        row("too large a size", R"("a":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,8]})", "an impossible shape");
        row("33 dimensions", R"("a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]})", "more than 32 dimensions");
        row("other number of bytes", R"("a":{"dtype":"F16","shape":[2],"data_offsets":[0,8]})", R"(tensor "a" has 8 bytes, but its shape and dtype need 4)");
        row("offsets backwards", R"("a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]})", R"(tensor "a" has impossible data_offsets)");
        row("one offset", R"("a":{"dtype":"F32","shape":[2],"data_offsets":[8]})", "impossible data_offsets");
        row("three offsets", R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})", R"(a "data_offsets" of the wrong form)");
        row("past the end", R"("a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]})", R"(tensor "a" reaches past the end of the file)");
        row("far past the end", R"("a":{"dtype":"U8","shape":[8],"data_offsets":[18446744073709551607,18446744073709551615]})", "past the end of the file");
        row("overlap", R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]})", R"(tensor "b" overlaps)");
        row("hole", R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]})", R"(tensor "a" has a gap before it)");
        row("hole at the end", R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})", "4 bytes after its last tensor");
        row("two of a name", R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]})", R"(two tensors named "a")");
        row("two shapes", R"("a":{"dtype":"F32","shape":[1],"shape":[2],"data_offsets":[0,8]})", R"(tensor "a" has two entries "shape")");
        row("no dtype", R"("a":{"shape":[2],"data_offsets":[0,8]})", "lacks its dtype, shape or data_offsets");
        row("unknown entry", R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"strides":[1]})", R"(unknown entry "strides")");
        row("dtype is a number", R"("a":{"dtype":32,"shape":[2],"data_offsets":[0,8]})", R"(a "dtype" of the wrong form)");
        row("dtype is a list", R"("a":{"dtype":["F32"],"shape":[2],"data_offsets":[0,8]})", R"(a "dtype" of the wrong form)");
        row("shape is a text", R"("a":{"dtype":"F32","shape":"2","data_offsets":[0,8]})", R"(a "shape" of the wrong form)");
        row("list in a shape", R"("a":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]})", R"(a "shape" of the wrong form)");
        row("object in a shape", R"("a":{"dtype":"F32","shape":[{}],"data_offsets":[0,8]})", R"(a "shape" of the wrong form)");
        row("a number for a tensor", R"("a":7)", R"(tensor "a" has no description)");
        row("null for a tensor", R"("a":null)", R"(tensor "a" has no description)");
        row("list for a tensor", R"("a":[])", R"(tensor "a" has no description)");
        row("metadata that is no text", R"("__metadata__":{"step":3},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})", "metadata is not an object of strings");
        row("metadata in depth", R"("__metadata__":{"step":{}},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})", "metadata is not an object of strings");
        row("metadata that is a list", R"("__metadata__":[],"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})", "metadata is not an object of strings");
        row("two metadata entries", R"("__metadata__":{"k":"1","k":"2"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})", R"(two metadata entries "k")");
        row("two metadata", R"("__metadata__":{},"__metadata__":{},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})", "two tensors");
        row("a name with a line break", R"("a\nb":{"dtype":"F31","shape":[2],"data_offsets":[0,8]})", R"(tensor "a\nb" has)");
    }
    void whatIsWrongWithATensorIsSaid()
    {
        QFETCH(QByteArray, entries);
        QFETCH(QByteArray, part);
        const std::string message = refusal(fileOf("{" + entries.toStdString() + "}", "12345678"));
        QVERIFY2(part.isEmpty() ? message.empty() : message.find(part.toStdString()) != std::string::npos, message.empty() ? "it was taken" : message.c_str());
    }

    void whatIsNoHeaderIsRefused()
    {
        requireRefused(fileOf("[]", ""), "its header is not a JSON object");
        requireRefused(fileOf("7", ""), "its header is not a JSON object");
        requireRefused(fileOf("", ""), "its header is not a JSON object");
        requireRefused(fileOf(" {}", ""), "its header is not a JSON object");
        requireRefused(fileOf("{}{}", ""), "not valid JSON (at byte 3)");
        requireRefused(fileOf("{\"a\":", ""), "not valid JSON");
        requireRefused(fileOf("{\"\xFF\":{}}", ""), "not valid JSON");
        QCOMPARE(refusal(fileOf("{}", "")), std::string());
        QCOMPARE(refusal(fileOf("{}      ", "")), std::string());
        requireRefused(lengthWord(~std::uint64_t {0}) + "{}", "its header would have 18446744073709551615 bytes");
        requireRefused(lengthWord(100'000'001) + "{}", "its header would have 100000001 bytes");
        requireRefused(lengthWord(99'000'000) + " {}", "ends within its header");
        // Deep or long input is cheap to reject: parsing stops at the first unexpected value.
        requireRefused(fileOf("{\"a\":" + std::string(20'000'000, '['), ""), "has no description");
        std::string objects;
        for (int i = 0; i < 1'000'000; ++i)
            objects += "{\"a\":";
        requireRefused(fileOf(objects, ""), "unknown entry");
        std::string sizes = R"({"a":{"shape":[1)";
        for (int i = 0; i < 5'000'000; ++i)
            sizes += ",1";
        requireRefused(fileOf(sizes + "]}}", ""), "more than 32 dimensions");
        requireRefused(fileOf("{\"" + std::string(1'000'000, 'n') + "\":7}", ""), "has no description");
    }

    void aFileOfAnotherKindIsCalledWhatItIs()
    {
        requireRefused("", "is not a safetensors file but empty");
        requireRefused("abc", "is not a safetensors file but only 3 bytes");
        requireRefused("PK\x03\x04 and so on, a zip archive", "a PyTorch file (pickle), which can run code");
        requireRefused("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20", "a PyTorch file (pickle), which can run code");
        requireRefused("<!DOCTYPE html><html></html>", "a web page");
        requireRefused("<html><body>404</body></html>", "a web page");
        requireRefused("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n", "a Git LFS pointer");
        requireRefused("{\"weight_map\": {}}", "a JSON file");
        fs::remove(file());
        const auto openError = [this] {
            try {
                const SafetensorsFile opened(file());
                return std::string();
            } catch (const std::runtime_error& error) {
                return std::string(error.what());
            }
        };
        QVERIFY(openError().find("some.safetensors") != std::string::npos);  // it is missing
        QCOMPARE(::mkfifo(file().c_str(), 0600), 0);
        QVERIFY(openError().find("some.safetensors: is not a regular file") != std::string::npos);  // opening it does not wait for a writer
        fs::remove(file());
        fs::create_directory(file());
        QVERIFY(openError().find("is not a regular file") != std::string::npos);
    }

    void aFileThatWasCutShortIsRefused()
    {
        const std::string whole = wholeFile();
        QCOMPARE(refusal(whole), std::string());
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const std::string message = refusal(whole.substr(0, length));
            QVERIFY2(!message.empty() && !message.starts_with("NO"), (std::to_string(length) + " bytes: " + message).c_str());
        }
    }

    /// Whichever bytes change, the result is an error message or readable tensors.
    void mutatedFilesAreReadOrRefused()
    {
        std::mt19937 random(5);
        const auto upTo = [&random](std::size_t end) { return random() % end; };
        const std::string pieces[] = {"{", "}", "[", "]", ",", ":", "\"", "null", "-1", "1e999", "18446744073709551615", "9223372036854775808",
            "\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},", "\\u0000", "\xC3", "data_offsets", "__metadata__"};
        int taken = 0;
        for (int round = 0; round < 10'000; ++round) {
            std::string header = kHeader;
            for (std::size_t changes = 1 + upTo(3); changes > 0; --changes) {
                const std::size_t at = upTo(header.size());
                switch (upTo(4)) {
                case 0:
                    header[at] = static_cast<char>(random());
                    break;
                case 1:
                    header.erase(at, 1 + upTo(8));
                    break;
                case 2:
                    header.insert(at, pieces[upTo(std::size(pieces))]);
                    break;
                default:  // insert a digit, or repeat a part
                    header.insert(at, upTo(2) == 0 ? std::string(1, static_cast<char>('0' + upTo(10))) : header.substr(upTo(header.size()), 12));
                }
                if (header.empty())
                    header = "{";
            }
            std::string bytes = fileOf(header, bytesOf(kValues) + '\1');
            if (upTo(10) == 0)
                bytes[upTo(8)] = static_cast<char>(random());
            const std::string message = refusal(bytes);
            QVERIFY2(!message.starts_with("NO"), message.c_str());
            taken += message.empty() ? 1 : 0;
        }
        QVERIFY2(taken > 100 && taken < 5'000, std::to_string(taken).c_str());  // both outcomes occurred often
    }

    void whatIsWrittenIsReadAgain()
    {
        const std::vector<SafetensorsTensor> tensors = {{"z \"quoted\"", "F32", {2, 3}}, {"none", "I64", {0}}, {"a", "U8", {}}};
        {
            SafetensorsWriter writer(file(), tensors, {{"format", "pt"}});
            writer.write(kValues.data(), 4);
            writer.write(kValues.data() + 1, 20);
            writer.write("\x2A", 1);
            QVERIFY(!fs::exists(file()));  // it has no name before finish()
            writer.finish();
        }
        QCOMPARE(filesInFolder(), 1U);
        const SafetensorsFile opened(file());
        QVERIFY((opened.metadata() == contract::SafetensorsMetadata {{"format", "pt"}}));
        QCOMPARE(opened.tensors().size(), 3U);
        QCOMPARE(std::memcmp(opened.view(*opened.find("z \"quoted\"")).data(), kValues.data(), 24), 0);
        QVERIFY(opened.view(*opened.find("a"))[0] == std::byte {42});
        // Check against the format's specification, without our reader.
        std::ifstream stream(file(), std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(stream)), {});
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data(), 8);
        QCOMPARE(length % 8, std::uint64_t(0));
        const auto header = nlohmann::json::parse(bytes.substr(8, length));
        QCOMPARE(header.at("z \"quoted\""), nlohmann::json({{"dtype", "F32"}, {"shape", {2, 3}}, {"data_offsets", {0, 24}}}));
        QCOMPARE(header.at("a").at("data_offsets"), nlohmann::json({24, 25}));
        QCOMPARE(header.at("a").at("shape"), nlohmann::json::array());
        QCOMPARE(bytes.size(), 8 + length + 25);
    }

    void aFileThatIsGivenUpLeavesTheOldOne()
    {
        written("old");
        {
            SafetensorsWriter writer(file(), {{"a", "U8", {2}}}, {});
            writer.write("1", 1);
            QVERIFY_EXCEPTION_THROWN(writer.finish(), std::logic_error);
        }
        QCOMPARE(filesInFolder(), 1U);
        QCOMPARE(fs::file_size(file()), std::uintmax_t(3));
        const auto open = [](const fs::path& path, const std::vector<SafetensorsTensor>& tensors) { const SafetensorsWriter writer(path, tensors, {}); };
        QVERIFY_EXCEPTION_THROWN(open(file(), {{"a", "U8", {}}, {"a", "U8", {}}}), std::logic_error);
        QVERIFY_EXCEPTION_THROWN(open(file(), {{"a", "F31", {}}}), std::logic_error);
        QVERIFY_EXCEPTION_THROWN(open(folder() / "none" / "x", {}), std::system_error);
    }
};

QTEST_APPLESS_MAIN(SafetensorsTest)
#include "tst_safetensors.moc"
