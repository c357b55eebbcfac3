// Untrusted configurations: typed values, and errors that name the file and the key.
#include "engine/contract/formats/json_config.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <functional>
#include <map>
#include <string>

namespace fs = std::filesystem;
using contract::JsonConfig;
using Ask = std::function<void(const JsonConfig&)>;

class JsonConfigTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path written(const std::string& text) const
    {
        const fs::path file = fs::path(m_root.path().toStdString()) / "config.json";
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }
    static std::string errorFrom(const std::function<void()>& ask)
    {
        try {
            ask();
            return {};
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    }

private Q_SLOTS:
    void valuesHaveTheirTypes()
    {
        const JsonConfig config(written(R"({"layers": 24, "theta": 10000, "eps": 1e-6, "ratio": 4.0, "norm": null, "name": "sd3",
            "dual": [0, 1, 2], "axes": [], "names": ["a", "b"], "scales": [1, 0.5], "on": true, "rope": {"type": "plain", "deep": {"n": 7}}})"));
        QCOMPARE(config.integer("layers"), 24);
        QCOMPARE(config.real("theta"), 10000.0);
        QCOMPARE(config.real("eps"), 1e-6);
        QCOMPARE(config.integer("ratio"), 4);
        QVERIFY(!config.has("norm") && !config.has("nothing") && config.has("name"));
        QVERIFY(config.text("norm", "none") == "none");
        QCOMPARE(config.integer("norm", 3), 3);
        QCOMPARE(config.count("nothing", 3), 3);
        QVERIFY(config.text("name") == "sd3");
        QVERIFY(config.integers("dual") == std::vector<std::int64_t>({0, 1, 2}));
        QVERIFY(config.integers("axes").empty());
        QVERIFY(config.texts("names") == std::vector<std::string>({"a", "b"}));
        QVERIFY(config.reals("scales") == std::vector<double>({1, 0.5}));
        QVERIFY(config.flag("on"));
        QCOMPARE(config.object("rope").object("deep").integer("n"), 7);
    }

    void errorsNameFileAndKey_data()
    {
        QTest::addColumn<Ask>("ask");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, Ask ask, const char* message) { QTest::newRow(name) << std::move(ask) << QByteArray(message); };
        row("missing", [](const JsonConfig& c) { c.integer("layers"); }, R"("layers" is missing; it must be a whole number)");
        row("null", [](const JsonConfig& c) { c.text("none"); }, R"("none" is missing; it must be a string)");
        row("text for a number", [](const JsonConfig& c) { c.integer("text"); }, R"("text" must be a whole number)");
        row("fraction", [](const JsonConfig& c) { c.integer("half"); }, R"("half" must be a whole number)");
        row("too large", [](const JsonConfig& c) { c.integer("huge"); }, R"("huge" must be a whole number)");
        row("no count", [](const JsonConfig& c) { c.count("zero"); }, R"("zero" must be a whole number from 1 to 2147483647)");
        row("too many", [](const JsonConfig& c) { c.count("many"); }, R"("many" must be a whole number from 1)");
        row("number for a flag", [](const JsonConfig& c) { c.flag("zero"); }, R"("zero" must be true or false)");
        row("list of others", [](const JsonConfig& c) { c.integers("mixed"); }, R"("mixed" must be a list of whole numbers)");
        row("no list", [](const JsonConfig& c) { c.texts("text"); }, R"("text" must be a list of strings)");
        row("no object", [](const JsonConfig& c) { c.object("text"); }, R"("text" must be an object)");
        row("in depth", [](const JsonConfig& c) { c.object("rope").integer("n"); }, R"("rope.n" is missing)");
        row("default of the wrong type", [](const JsonConfig& c) { c.integer("text", 3); }, R"("text" must be a whole number)");
        row("unknown", [](const JsonConfig& c) { c.requireKnown({"text", "half"}); }, R"("huge" is not a known key; known keys: text, half)");
    }
    void errorsNameFileAndKey()
    {
        QFETCH(Ask, ask);
        QFETCH(QByteArray, message);
        const fs::path file = written(R"({"_class_name": "X", "none": null, "text": "24", "half": 0.5, "huge": 18446744073709551615, "zero": 0,
            "many": 2147483648, "mixed": [1, "2"], "rope": {}})");
        const JsonConfig config(file);
        const std::string error = errorFrom([&] { ask(config); });
        QVERIFY2(error.starts_with(file.string() + ": ") && error.find(message.toStdString()) != std::string::npos, error.c_str());
    }

    void numbersThatAreTooLargeGetASentence_data()
    {
        QTest::addColumn<QByteArray>("number");
        QTest::newRow("fuzz: exponent") << QByteArray("1e309");
        QTest::newRow("fuzz: digits") << QByteArray(100'000, '7');
    }
    void numbersThatAreTooLargeGetASentence()
    {
        QFETCH(QByteArray, number);
        const fs::path file = written("{\"a\": " + number.toStdString() + "}");
        QCOMPARE(errorFrom([&] { const JsonConfig config(file); }), file.string() + ": has a number that is too large");
    }

    void whatIsNoConfigurationIsRefused()
    {
        const auto refusal = [this](const std::string& text) { return errorFrom([&] { const JsonConfig config(written(text)); }); };
        for (const auto& [text, part] : std::map<std::string, std::string> {{"{\"a\": }", "config.json: is not valid JSON (at byte 7)"},
                 {"[1]", "config.json: is not a JSON object"}, {"", "is not valid JSON"}, {"{\"a\": 1, \"b\": {\"a\": 2, \"c\": 3, \"a\": 4}}", "the key \"a\" twice"},
                 {"{\"a\":" + std::string(1'000'000, '['), "nested too deeply"}})
            QVERIFY2(refusal(text).find(part) != std::string::npos, refusal(text).c_str());
        QVERIFY(refusal("{\"a\": {\"a\": 1}, \"b\": {\"a\": 1}}").empty());
        QVERIFY(errorFrom([] { const JsonConfig config("/nowhere/config.json"); }).find("/nowhere/config.json") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(JsonConfigTest)
#include "tst_json_config.moc"
