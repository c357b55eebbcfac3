// Vocabulary files: every supported layout is read, and broken files give an error message that names the problem.
#include "engine/text/byte_pairs.h"
#include "engine/text/sentencepiece_file.h"
#include "engine/text/tokenizer.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

namespace fs = std::filesystem;
using nlohmann::json;
using Ids = std::vector<std::int64_t>;

namespace {

void write(const fs::path& file, const std::string& content) { std::ofstream(file, std::ios::binary) << content; }

/// All bytes, as symbols within and at the end of a word, "ab" at the end of one, and CLIP's two tokens.
json clipVocabulary()
{
    json vocabulary;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const std::string spelling = engine::byteSpelling(static_cast<unsigned char>(byte));
        vocabulary[spelling] = byte;
        vocabulary[spelling + "</w>"] = 256 + byte;
    }
    vocabulary["ab</w>"] = 512;
    vocabulary["<|startoftext|>"] = 513;
    vocabulary["<|endoftext|>"] = 514;
    return vocabulary;
}

void writeVideo(const fs::path& folder)
{
    write(folder / "tokenizer_config.json", R"({"tokenizer_class": "CLIPTokenizer"})");
    write(folder / "vocab.json", clipVocabulary().dump());
    write(folder / "merges.txt", "#version: 0.2\na b</w>\n");
}

json clipTokenizerJson()
{
    const json pattern = {{"type", "Split"}, {"pattern", {{"Regex", R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)"}}}};
    return {{"model", {{"type", "BPE"}, {"vocab", clipVocabulary()}, {"merges", json::array({json::array({"a", "b</w>"})})}}},
        {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", json::array({pattern})}}}};
}

std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7)
        bytes += static_cast<char>(value | 0x80U);
    return bytes + static_cast<char>(value);
}

std::string numberField(unsigned field, std::uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytesField(unsigned field, const std::string& bytes) { return varint(field << 3 | 2U) + varint(bytes.size()) + bytes; }

std::string pieceField(const std::string& text, float score, unsigned kind)
{
    std::string number(4, '\0');
    std::memcpy(number.data(), &score, 4);
    return bytesField(1, bytesField(1, text) + varint(2U << 3 | 5U) + number + numberField(3, kind));
}

std::string littleEndian(std::uint32_t value)
{
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &value, 4);
    return bytes;
}

/// A double array that maps "A" to "a" and nothing else. Units: the root, whose children lie from 256 on; the child for
/// 'A' = 65 with a leaf, whose own children lie from 512 on; the leaf with the place 0 of its text.
std::string smallCharactersMap()
{
    std::vector<std::uint32_t> units(768, 0);
    units[0] = 256U << 10;
    units[256 ^ 65] = (256 ^ 65 ^ 512) << 10 | 1U << 8 | 65U;
    units[512] = 1U << 31 | 0U;
    std::string trie;
    for (const std::uint32_t unit : units)
        trie += littleEndian(unit);
    return littleEndian(static_cast<std::uint32_t>(trie.size())) + trie + std::string("a\0", 2);
}

std::string smallProto()
{
    return pieceField("<pad>", 0, 3) + pieceField("</s>", 0, 3) + pieceField("<unk>", 0, 2) + pieceField("\u2581", -1, 1)
        + pieceField("a", -2, 1) + bytesField(2, numberField(3, 1)) + bytesField(3, bytesField(2, smallCharactersMap()));
}

void writeT5(const fs::path& folder)
{
    write(folder / "tokenizer_config.json", R"({"tokenizer_class": "T5TokenizerFast", "extra_ids": 2})");
    write(folder / "spiece.model", smallProto());
}

}  // namespace

class TokenizerFilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_scratch;
    fs::path m_folder;

private Q_SLOTS:
    void init()
    {
        m_folder = m_scratch.path().toStdString();
        for (const auto& entry : fs::directory_iterator(m_folder))
            fs::remove(entry.path());
    }

    void clipFromEitherLayout()
    {
        writeVideo(m_folder);
        const Ids expected = {513, 512, 256 + '!', 514};
        QCOMPARE(engine::openTokenizer(m_folder)->encoded("AB!", 77), expected);
        fs::remove(m_folder / "vocab.json");
        write(m_folder / "tokenizer.json", clipTokenizerJson().dump());
        QCOMPARE(engine::openTokenizer(m_folder)->encoded("AB!", 77), expected);
    }

    void tokensAddedInAnyFile_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("tokenizer_config.json") << QByteArray("tokenizer_config.json")
            << QByteArray(R"({"tokenizer_class": "CLIPTokenizer", "added_tokens_decoder": {"600": {"content": "<New>", "normalized": false}}})");
        QTest::newRow("tokenizer_config.json, normalized") << QByteArray("tokenizer_config.json")
            << QByteArray(R"({"tokenizer_class": "CLIPTokenizer", "added_tokens_decoder": {"600": {"content": "<New>", "normalized": true}}})");
        QTest::newRow("tokenizer.json") << QByteArray("tokenizer.json")
            << QByteArray(R"({"added_tokens": [{"id": 600, "content": "<New>"}]})");
        QTest::newRow("added_tokens.json") << QByteArray("added_tokens.json") << QByteArray(R"({"<New>": 600})");
    }
    void tokensAddedInAnyFile()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, content);
        writeVideo(m_folder);
        write(m_folder / file.toStdString(), content.toStdString());
        const auto tokenizer = engine::openTokenizer(m_folder);
        QCOMPARE(tokenizer->encoded("ab<New>ab", 77), Ids({513, 512, 600, 512, 514}));
        QCOMPARE(tokenizer->tokens("<NEW>") == Ids({600}), content.contains("true"));
        QCOMPARE(tokenizer->size(), std::int64_t {516});
    }

    void padTokenOfSpecialTokensMap()
    {
        writeVideo(m_folder);
        write(m_folder / "special_tokens_map.json", R"({"pad_token": {"content": "!"}})");
        const auto tokenizer = engine::openTokenizer(m_folder);
        QCOMPARE(tokenizer->encodedBatch(std::vector<std::string> {"ab"}, 5, engine::Padding::ToMaxLength).ids,
            Ids({513, 512, 514, '!', '!'}));
        QCOMPARE(tokenizer->tokens("ab!"), Ids({512, '!'}));
    }

    void t5FromEitherLayout()
    {
        writeT5(m_folder);
        const auto proto = engine::openTokenizer(m_folder);
        QCOMPARE(proto->encoded("Aa <extra_id_0>x", 512), Ids({3, 4, 4, 6, 3, 2, 1}));
        QCOMPARE(proto->size(), std::int64_t {7});
        QCOMPARE(proto->tokens("a\u0085\u3000a\u0085"), Ids({3, 4, 3, 4}));
        fs::remove(m_folder / "spiece.model");
        const QByteArray map = QByteArray::fromStdString(smallCharactersMap()).toBase64();
        const json model = {{"type", "Unigram"}, {"unk_id", 2},
            {"vocab", json::array({json::array({"<pad>", 0}), json::array({"</s>", 0}), json::array({"<unk>", 0}),
                          json::array({"\u2581", -1}), json::array({"a", -2})})}};
        const json normalizer = {{"type", "Sequence"},
            {"normalizers", json::array({{{"type", "Precompiled"}, {"precompiled_charsmap", map.toStdString()}}})}};
        write(m_folder / "tokenizer.json", json({{"model", model}, {"normalizer", normalizer}}).dump());
        QCOMPARE(engine::openTokenizer(m_folder)->encoded("Aa <extra_id_0>x", 512), Ids({3, 4, 4, 6, 3, 2, 1}));
    }

    void brokenFilesAreNamed_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("sentence");
        const auto row = [](const char* name, const char* file, const QByteArray& content, const char* sentence) {
            QTest::newRow(name) << QByteArray(file) << content << QByteArray(sentence);
        };
        row("config is no JSON", "tokenizer_config.json", "{\"tokenizer_class\": ", "tokenizer_config.json: is not valid JSON (at byte");
        row("config is a list", "tokenizer_config.json", "[]", "tokenizer_config.json: is not a JSON object");
        row("another class", "tokenizer_config.json", R"({"tokenizer_class": "GemmaTokenizer"})", "is \"GemmaTokenizer\"; supported are");
        row("no class", "tokenizer_config.json", "{}", "is \"\"; supported are");
        row("added token without id", "tokenizer_config.json",
            R"({"tokenizer_class": "CLIPTokenizer", "added_tokens_decoder": {"x": {"content": "<a>"}}})", "added token \"<a>\"");
        row("pad token that is none", "tokenizer_config.json",
            R"({"tokenizer_class": "CLIPTokenizer", "pad_token": "<pad>"})", "special token \"<pad>\" is not in the vocabulary");
        row("vocabulary is no JSON", "vocab.json", "\xFF\xFE", "vocab.json: is not valid JSON");
        row("deep JSON", "vocab.json", QByteArray("{\"a\":").repeated(100000), "vocab.json: its JSON is nested too deeply");
        row("token twice", "vocab.json", R"({"a": 1, "a": 2})", "vocab.json: has the key \"a\" twice");
        row("vocabulary is empty", "vocab.json", "{}", "vocab.json: has no vocabulary");
        row("negative id", "vocab.json", R"({"a": -1})", "vocab.json: the id of token \"a\"");
        row("huge id", "vocab.json", R"({"a": 1e99})", "vocab.json: the id of token \"a\"");
        row("vocabulary without special tokens", "vocab.json", R"({"a": 1, "b</w>": 2, "ab</w>": 3})", "\"<|endoftext|>\" is not in the vocabulary");
        row("merge of unknown tokens", "merges.txt", "#version: 0.2\na b</w>\na zz\n", "merge 2, \"a zz\", needs the token \"zz\"");
        row("merge into an unknown token", "merges.txt", "a a</w>\n", "merge 1, \"a a</w>\", needs the token \"aa</w>\"");
        row("merge of one token", "merges.txt", "a\n", "merges.txt: merge 1 is not two tokens");
        row("merge of three tokens", "merges.txt", "a b c\n", "merges.txt: merge 1 is not two tokens");
    }
    void brokenFilesAreNamed()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, sentence);
        writeVideo(m_folder);
        write(m_folder / file.toStdString(), content.toStdString());
        try {
            engine::openTokenizer(m_folder);
            QFAIL("opened");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QByteArray(error.what()).contains(sentence), error.what());
            QVERIFY2(QByteArray(error.what()).contains(m_folder.c_str()), error.what());
        }
    }

    void messagesAreOneShortLine_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("content");
        const QByteArray config = "{\"tokenizer_class\": \"CLIPTokenizer\", ";
        const QByteArray name = "\"\\u001b[2J\\n" + QByteArray(100'000, 'A') + "\"";
        const auto row = [](const char* title, const char* file, const QByteArray& content) { QTest::newRow(title) << QByteArray(file) << content; };
        row("fuzz: the class", "tokenizer_config.json", "{\"tokenizer_class\": " + name + "}");
        row("fuzz: an added token without id", "tokenizer_config.json", config + "\"added_tokens_decoder\": {\"x\": {\"content\": " + name + "}}}");
        row("fuzz: an added token as a single word", "tokenizer_config.json",
            config + "\"added_tokens_decoder\": {\"600\": {\"single_word\": true, \"content\": " + name + "}}}");
        row("fuzz: a special token", "tokenizer_config.json", config + "\"pad_token\": " + name + "}");
        row("fuzz: a token without id", "vocab.json", "{" + name + ": -1}");
        row("fuzz: a merge", "merges.txt", "\x1b[2J" + QByteArray(100'000, 'A') + " b\n");
    }
    void messagesAreOneShortLine()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, content);
        writeVideo(m_folder);
        write(m_folder / file.toStdString(), content.toStdString());
        try {
            engine::openTokenizer(m_folder);
            QFAIL("opened");
        } catch (const std::runtime_error& error) {
            const QByteArray message = error.what();
            QVERIFY(message.size() < 1000);
            QVERIFY2(std::none_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; }), message);
        }
    }

    void linksThatLeadNowhereAreNamed_data()
    {
        QTest::addColumn<QByteArray>("file");
        for (const char* file : {"special_tokens_map.json", "vocab.json", "merges.txt", "added_tokens.json"})
            QTest::addRow("fuzz: %s", file) << QByteArray(file);
    }
    void linksThatLeadNowhereAreNamed()
    {
        QFETCH(QByteArray, file);
        for (const char* target : {file.constData(), "missing"}) {
            writeVideo(m_folder);
            fs::remove(m_folder / file.toStdString());
            fs::create_symlink(target, m_folder / file.toStdString());
            try {
                engine::openTokenizer(m_folder);
                QFAIL("opened");
            } catch (const std::runtime_error& error) {
                QVERIFY2(QByteArray(error.what()).startsWith((m_folder / file.toStdString()).c_str()), error.what());
            }
            fs::remove(m_folder / file.toStdString());
        }
    }

    void otherPatternsAreRefused()
    {
        writeVideo(m_folder);
        fs::remove(m_folder / "vocab.json");
        json content = clipTokenizerJson();
        content["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = R"(\p{L}+|\p{N}{1,3})";
        write(m_folder / "tokenizer.json", content.dump());
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::openTokenizer(m_folder));
    }

    void missingFilesAreNamed()
    {
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::openTokenizer(m_folder));
        writeVideo(m_folder);
        fs::remove(m_folder / "merges.txt");
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::openTokenizer(m_folder));
        writeT5(m_folder);
        fs::remove(m_folder / "spiece.model");
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::openTokenizer(m_folder));
    }

    void brokenModelsGetASentence_data()
    {
        QTest::addColumn<QByteArray>("proto");
        QTest::addColumn<QByteArray>("sentence");
        const auto row = [](const char* name, const std::string& proto, const char* sentence) {
            QTest::newRow(name) << QByteArray::fromStdString(proto) << QByteArray(sentence);
        };
        row("empty", "", "has 0 unknown pieces");
        row("cut short", smallProto().substr(0, 20), "is truncated");
        row("no protocol buffer", "\x0F\x0F\x0F", "is not a valid protocol buffer");
        row("endless number", std::string(12, '\xFF'), "is not a valid protocol buffer");
        row("two unknown pieces", smallProto() + pieceField("?", 0, 2), "has 2 unknown pieces");
        row("kind of piece", smallProto() + pieceField("?", 0, 9), "a piece of an unknown kind");
        row("score", smallProto() + pieceField("?", std::numeric_limits<float>::quiet_NaN(), 1), "a score that is not a finite number");
        row("empty piece", smallProto() + pieceField("", 0, 1), "piece 5 has 0 bytes");
        row("long piece", smallProto() + pieceField(std::string(600, 'x'), 0, 1), "piece 5 has 600 bytes");
        row("no unigram", smallProto() + bytesField(2, numberField(3, 2)), "is not a unigram model");
    }
    void brokenModelsGetASentence()
    {
        QFETCH(QByteArray, proto);
        QFETCH(QByteArray, sentence);
        try {
            engine::parseSentencePieceModel(proto.toStdString());
            QFAIL("read");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QByteArray(error.what()).contains(sentence), error.what());
        }
    }

    void damagedModelsNeverCrash()
    {
        writeT5(m_folder);
        const std::string whole = smallProto();
        std::mt19937 random(1);
        int opened = 0;
        for (int round = 0; round < 1000; ++round) {
            std::string damaged = whole;
            for (int change = 0; change < 4; ++change)
                damaged[random() % damaged.size()] = static_cast<char>(random());
            if (round % 3 == 0)  // the root and the only child of the trie
                damaged[whole.find(smallCharactersMap()) + 4 + (round % 2 == 0 ? 0 : (256 ^ 65) * 4) + random() % 4] = static_cast<char>(random());
            write(m_folder / "spiece.model", damaged);
            try {
                const auto tokenizer = engine::openTokenizer(m_folder);
                ++opened;
                for (const char* text : {"Aa a", "AAA\u00e9\xFF", ""})
                    tokenizer->decoded(tokenizer->tokens(text));
            } catch (const std::runtime_error&) {
            }
        }
        QVERIFY2(opened > 100, "most damage to the trie goes unnoticed when opened");
    }

    void longTextIsRefused()
    {
        writeVideo(m_folder);
        const auto tokenizer = engine::openTokenizer(m_folder);
        QCOMPARE(tokenizer->tokens(std::string(65536, 'c')).size(), std::size_t {65536});
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, tokenizer->tokens(std::string(65537, 'c')));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, tokenizer->encoded("a", 1));
    }
};

QTEST_GUILESS_MAIN(TokenizerFilesTest)
#include "tst_tokenizer_files.moc"
