// The weights of a component in one or several files, and how the files are found.
#include "engine/contract/formats/safetensors_set.h"
#include "tests/engine/contract/formats/small_safetensors.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <fstream>

namespace fs = std::filesystem;
using contract::SafetensorsSet;
using tests::writeTensors;

class SafetensorsSetTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path folder() const { return fs::path(m_root.path().toStdString()) / "transformer"; }
    void writeText(const char* name, const std::string& text) const { std::ofstream(folder() / name, std::ios::binary) << text; }
    /// Writes two files and an index for both.
    void writeShards() const
    {
        writeTensors(folder() / "diffusion_pytorch_model-00001-of-00002.safetensors", {{"a", {1, 2}}, {"b", {3}}});
        writeTensors(folder() / "diffusion_pytorch_model-00002-of-00002.safetensors", {{"c", {4, 5, 6}}, {"left over", {0}}});
        writeIndex("diffusion_pytorch_model-00002-of-00002.safetensors");
    }
    void writeIndex(const std::string& fileOfC) const
    {
        writeText("diffusion_pytorch_model.safetensors.index.json", R"({"metadata": {"total_size": 24}, "weight_map": {
            "a": "diffusion_pytorch_model-00001-of-00002.safetensors", "b": "diffusion_pytorch_model-00001-of-00002.safetensors",
            "c": ")" + fileOfC + R"("}})");
    }
    static float firstOf(const SafetensorsSet& set, const char* name)
    {
        const auto* item = set.find(name);
        float value = 0;
        item->file->read(*item->tensor, 0, &value, sizeof value);
        return value;
    }
    void requireRefused(const char* part, const std::string& variant = {}) const
    {
        std::string message;
        try {
            const SafetensorsSet set(folder(), variant);
        } catch (const std::runtime_error& error) {
            message = error.what();
        }
        QVERIFY2(message.starts_with(folder().string()) && message.find(part) != std::string::npos, message.c_str());
    }

private Q_SLOTS:
    void init()
    {
        fs::remove_all(folder());
        fs::create_directories(folder());
    }

    void anIndexSaysWhichFileHoldsATensor()
    {
        writeShards();
        const SafetensorsSet set(folder());
        QCOMPARE(set.items().size(), 3U);  // a tensor that the index does not list is not in the set
        QCOMPARE(firstOf(set, "b"), 3.0F);
        QCOMPARE(firstOf(set, "c"), 4.0F);
        QVERIFY(!set.find("left over") && !set.find("d"));
        QCOMPARE(set.bytes(), std::uint64_t(24));
        QCOMPARE(SafetensorsSet(folder() / "diffusion_pytorch_model.safetensors.index.json").items().size(), 3U);
        QCOMPARE(SafetensorsSet(folder() / "diffusion_pytorch_model-00002-of-00002.safetensors").items().size(), 2U);
    }

    void anIndexThatIsWrongIsRefused_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("outside") << QByteArray("../diffusion_pytorch_model.safetensors") << QByteArray("\"weight_map.c\" names the file \"../diffusion_pytorch_model.safetensors\", which is not in the index's folder");
        QTest::newRow("absolute") << QByteArray("/etc/passwd") << QByteArray("which is not in the index's folder");
        QTest::newRow("parent") << QByteArray("..") << QByteArray("which is not in the index's folder");
        QTest::newRow("empty") << QByteArray("") << QByteArray("which is not in the index's folder");
        QTest::newRow("missing") << QByteArray("other.safetensors") << QByteArray("\"other.safetensors\", which is missing; the download is not complete");
        QTest::newRow("tensor elsewhere") << QByteArray("diffusion_pytorch_model-00001-of-00002.safetensors") << QByteArray("\"weight_map.c\" is not in diffusion_pytorch_model-00001-of-00002.safetensors");
        QTest::newRow("no safetensors") << QByteArray("notes.txt") << QByteArray("notes.txt: is not a safetensors file");
        QTest::newRow("dangling link") << QByteArray("gone.safetensors") << QByteArray("gone.safetensors: is a link to a file that is missing");
    }
    void anIndexThatIsWrongIsRefused()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, message);
        writeShards();
        writeText("notes.txt", "a few words, more than eight");
        fs::create_symlink("../blobs/0123", folder() / "gone.safetensors");
        writeIndex(file.toStdString());
        requireRefused(message);
    }

    void anIndexOfAnotherFormIsRefused()
    {
        const char* name = "model.safetensors.index.json";
        writeText(name, "{}");
        requireRefused("\"weight_map\" is missing");
        writeText(name, R"({"weight_map": {"a": 7}})");
        requireRefused("\"weight_map.a\" must be a string");
        writeText(name, R"({"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}})");
        requireRefused("the key \"a\" twice");
    }

    void aLoneFileAndItsVariants()
    {
        writeTensors(folder() / "model.fp16.safetensors", {{"a", {16}}});
        QCOMPARE(firstOf(SafetensorsSet(folder()), "a"), 16.0F);  // the only one there is
        writeTensors(folder() / "model.bf16.safetensors", {{"a", {17}}});
        requireRefused("choose a variant of its weights: bf16, fp16");
        QCOMPARE(firstOf(SafetensorsSet(folder(), "bf16"), "a"), 17.0F);
        requireRefused("has no weights of the variant fp8; it has bf16, fp16", "fp8");
        writeTensors(folder() / "model.safetensors", {{"a", {32}}});
        QCOMPARE(firstOf(SafetensorsSet(folder()), "a"), 32.0F);
        QCOMPARE(firstOf(SafetensorsSet(folder(), "fp16"), "a"), 16.0F);
    }

    void shardsOfAVariant()
    {
        writeTensors(folder() / "model.fp16-00001-of-00001.safetensors", {{"a", {16}}});
        writeText("model.safetensors.index.fp16.json", R"({"weight_map": {"a": "model.fp16-00001-of-00001.safetensors"}})");
        QCOMPARE(firstOf(SafetensorsSet(folder()), "a"), 16.0F);
        QCOMPARE(firstOf(SafetensorsSet(folder(), "fp16"), "a"), 16.0F);
    }

    void aFolderWithoutWeightsSaysWhatItHas()
    {
        requireRefused("has no weights in safetensors files (looked for");
        writeText("diffusion_pytorch_model.bin", "PK");
        requireRefused("but diffusion_pytorch_model.bin, a PyTorch file (pickle), which can run code");
    }
};

QTEST_APPLESS_MAIN(SafetensorsSetTest)
#include "tst_safetensors_set.moc"
