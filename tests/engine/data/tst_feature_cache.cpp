// The feature cache: values are read back unchanged, also those of other processes, and damage is reported.
#include "engine/data/feature_cache.h"

#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using engine::FeatureCache;

class FeatureCacheTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path folder() const { return m_folder.filePath("cache").toStdString(); }

private Q_SLOTS:
    void whatIsWrittenIsReadBack()
    {
        const std::string key = FeatureCache::keyOf("a red cube");
        const FeatureCache::Tensors features = {{"embeds", at::randn({3, 7})}, {"pooled", at::randn({5}).to(at::kBFloat16)}, {"none", at::empty({0, 4})}};
        QVERIFY(!FeatureCache(folder()).has(key));
        FeatureCache(folder()).write(key, features);
        const FeatureCache cache(folder());
        QVERIFY(cache.has(key));
        const auto read = cache.read(key);
        QCOMPARE(read.size(), features.size());
        for (const auto& [name, tensor] : features) {
            QCOMPARE(read.at(name).scalar_type(), tensor.scalar_type());
            QVERIFY(at::equal(read.at(name), tensor));
        }
    }

    void keysAreOfTheContentAlone()
    {
        QCOMPARE(FeatureCache::keyOf("a"), FeatureCache::keyOf("a"));
        QVERIFY(FeatureCache::keyOf("a") != FeatureCache::keyOf("b"));
        QVERIFY(FeatureCache::keyOf("") != FeatureCache::keyOf("a"));
        QCOMPARE(FeatureCache::keyOf("a red cube").size(), 16U);
    }

    void aViewIsWrittenAsItLooks()
    {
        const at::Tensor whole = at::randn({4, 6});
        const FeatureCache cache(folder());
        cache.write("0123", {{"part", whole.t()}});
        QVERIFY(at::equal(cache.read("0123").at("part"), whole.t()));
    }

    void whatAPowerFailureLeavesIsNotThere()
    {
        const FeatureCache cache(folder());
        cache.write("c0de", {{"x", at::randn({8})}});
        const auto file = folder() / "c0" / "c0de.safetensors";
        const std::string zeros(std::filesystem::file_size(file), '\0');
        std::ofstream(file) << zeros;
        QVERIFY(!zeros.empty() && !cache.has("c0de"));
        std::filesystem::resize_file(file, 0);
        QVERIFY(!cache.has("c0de"));
    }

    void valuesThatChangedAreNoticed()
    {
        const FeatureCache cache(folder());
        cache.write("face", {{"x", at::randn({8})}});
        const auto file = folder() / "fa" / "face.safetensors";
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(-2, std::ios::end);
        stream.put('\x55').put('\x2a');
        stream.close();
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, cache.read("face"));
    }

    void whatWasReadStaysInMemory()
    {
        const FeatureCache cache(folder());
        const at::Tensor x = at::randn({8});
        cache.write("beef", {{"x", x}});
        QVERIFY(at::equal(cache.read("beef").at("x"), x));
        std::filesystem::remove(folder() / "be" / "beef.safetensors");
        QVERIFY(at::equal(cache.read("beef").at("x"), x));
    }

    void whatLacksATensorIsDamaged_defect_32()
    {
        const FeatureCache cache(folder());
        cache.write("5eed", {{"other", at::randn({8})}});
        try {
            cache.read("5eed", {"mean"});
            QFAIL("no error");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString(error.what()).endsWith("5eed.safetensors is damaged; remove it"), error.what());
        }
    }

    void whatCannotBeReadIsNotThere_defect_10()
    {
        const FeatureCache cache(folder());
        std::filesystem::create_directories(folder() / "10");
        std::filesystem::create_symlink("100b.safetensors", folder() / "10" / "100b.safetensors");  // to itself
        QVERIFY(!cache.has("100b"));
        cache.write("100b", {{"x", at::randn({8})}});
        QVERIFY(cache.has("100b"));
    }

    void damageIsNamed()
    {
        const FeatureCache cache(folder());
        cache.write("feed", {{"x", at::randn({8})}});
        const auto file = folder() / "fe" / "feed.safetensors";
        std::filesystem::resize_file(file, std::filesystem::file_size(file) - 4);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, cache.read("feed"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, cache.read("dead"));
        try {
            cache.read("feed");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString(error.what()).contains("feed.safetensors"), error.what());
        }
    }
};

QTEST_APPLESS_MAIN(FeatureCacheTest)
#include "tst_feature_cache.moc"
