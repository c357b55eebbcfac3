// Which layers get an adapter, and the adapter's configuration (row E-091).
#include "engine/contract/adapters/adapter_config.h"
#include "engine/contract/adapters/adapter_targets.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

using contract::AdapterConfig;
using contract::AdapterTargets;
using contract::JsonConfig;
using Names = std::vector<std::string>;

namespace {

const Names kTargets = {"context_embedder", "transformer_blocks.0.attn.to_q", "transformer_blocks.0.attn.to_out.0",
    "transformer_blocks.0.attn2.to_q", "transformer_blocks.0.ff.net.2", "proj_out"};

std::string errorFrom(const std::function<void()>& ask)
{
    try {
        ask();
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

}  // namespace

class AdapterTargetsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void modulesAreMeant_data()
    {
        QTest::addColumn<AdapterTargets>("targets");
        QTest::addColumn<AdapterTargets>("excluded");
        QTest::addColumn<QByteArray>("expected");
        const auto none = AdapterTargets();
        const auto list = [](Names names) { return AdapterTargets::ofList(std::move(names)); };
        const auto text = [](const char* pattern) { return AdapterTargets::ofText(pattern); };
        QTest::newRow("E-091 all-linear") << text("all-linear") << none << QByteArray("012345");
        QTest::newRow("E-091 all-linear in capitals") << text("ALL-Linear") << none << QByteArray("012345");
        QTest::newRow("E-091 ends after a dot") << list({"to_q"}) << none << QByteArray("13");
        QTest::newRow("E-091 longer ends") << list({"attn.to_q", "0"}) << none << QByteArray("12");
        QTest::newRow("E-091 whole paths") << list({"proj_out", "transformer_blocks.0.ff.net.2"}) << none << QByteArray("45");
        QTest::newRow("E-091 no part of a name") << list({"q", "out.0", "embedder", "context_embedder"}) << none << QByteArray("0");
        QTest::newRow("E-091 a regular expression fits whole paths") << text(".*attn\\.to_.*") << none << QByteArray("12");
        QTest::newRow("E-091 not parts of them") << text("to_q|proj_out") << none << QByteArray("5");
        QTest::newRow("E-091 an expression that looks ahead, as PEFT's may") << text("(?!.*attn2).*to_q") << none << QByteArray("1");
        QTest::newRow("defect-31: an expression that backtracks for ever") << text("(.*)*_q") << none << QByteArray("13");
        QTest::newRow("E-091 exclude wins") << text("all-linear") << list({"to_q", "proj_out"}) << QByteArray("024");
        QTest::newRow("E-091 exclude by an expression") << list({"to_q", "proj_out"}) << text(".*attn2.*") << QByteArray("15");
    }
    void modulesAreMeant()
    {
        QFETCH(AdapterTargets, targets);
        QFETCH(AdapterTargets, excluded);
        QFETCH(QByteArray, expected);
        Names wanted;
        for (const char index : expected)
            wanted.push_back(kTargets[static_cast<std::size_t>(index - '0')]);
        QVERIFY(contract::matchedModules(kTargets, targets, excluded) == wanted);
    }

    void whatMeansNothingIsRefused()
    {
        const auto errorFor = [](const AdapterTargets& targets, const AdapterTargets& excluded = {}) {
            return errorFrom([&] { contract::matchedModules(kTargets, targets, excluded); });
        };
        QVERIFY2(errorFor(AdapterTargets::ofList({"to_x", "to_y"})).find("\"to_x, to_y\": none of the model's linear layers matches; one of them is context_embedder") != std::string::npos, "E-091");
        QVERIFY(errorFor(AdapterTargets::ofText("to_q")).find("none of the model's linear layers matches") != std::string::npos);
        QVERIFY(errorFor(AdapterTargets::ofText("proj_out"), AdapterTargets::ofText("all-linear")).find("are excluded by \"all-linear\"") != std::string::npos);
        QVERIFY(errorFrom([] { AdapterTargets::ofText("to_(q"); }).find("\"to_(q\": not a valid regular expression") != std::string::npos);
        QVERIFY(errorFrom([] { AdapterTargets::ofText(std::string(2000, 'a')); }).find("too long") != std::string::npos);
    }

    void shortestTargetsMeanTheSameModules()
    {
        // The other module paths of a model, besides its linear layers.
        const Names others = {"transformer_blocks", "transformer_blocks.0", "transformer_blocks.0.attn", "transformer_blocks.0.ff.net.0", "pos_embed.proj"};
        const auto rest = [&](const Names& matched) {
            Names left = others;
            std::ranges::copy_if(kTargets, std::back_inserter(left), [&](const std::string& name) { return std::ranges::find(matched, name) == matched.end(); });
            return left;
        };
        const Names queries = {kTargets[1], kTargets[3]};
        QVERIFY(contract::shortestTargets(queries, rest(queries)) == Names({"to_q"}));
        QVERIFY(contract::shortestTargets({kTargets[1]}, rest({kTargets[1]})) == Names({"attn.to_q"}));
        const Names numbered = {kTargets[2], kTargets[4]};
        QVERIFY(contract::shortestTargets(numbered, rest(numbered)) == Names({"net.2", "to_out.0"}));
        QVERIFY(contract::shortestTargets({kTargets[5]}, rest({kTargets[5]})) == Names({"proj_out"}));
        for (const Names& matched : {queries, numbered, kTargets})
            QVERIFY(contract::matchedModules(kTargets, AdapterTargets::ofList(contract::shortestTargets(matched, rest(matched))), {}) == matched);
    }

    void aConfigurationIsWrittenAsItIsRead()
    {
        AdapterConfig config;
        config.rank = 8;
        config.alpha = 16;
        config.usesRslora = true;
        config.rankPattern = {{"to_q", 2}, {"attn2.to_q", 4}};
        config.alphaPattern = {{"proj_out", 2.5}};
        for (const char* prefix : {"", "transformer."}) {
            const std::string text = contract::adapterConfigText(config, {"proj_out", "to_q"}, prefix);
            const auto again = contract::adapterConfigIn({{"lora_adapter_metadata", text}}, "file");
            QVERIFY(again.has_value());
            QCOMPARE(again->rank, 8);
            QVERIFY(again->usesRslora);
            QCOMPARE(again->scale("proj_out"), 2.5 / std::sqrt(8.0));
            QCOMPARE(again->scale("transformer_blocks.0.attn.to_q"), 16 / std::sqrt(2.0));
            QCOMPARE(again->scale("transformer_blocks.0.attn2.to_q"), 16 / std::sqrt(4.0));
            QVERIFY(again->targets.matching(kTargets) == Names({kTargets[1], kTargets[3], kTargets[5]}));
            QVERIFY(nlohmann::json::parse(text).at(std::string(prefix) + "lora_alpha").is_number_integer());
        }
        QVERIFY(!contract::adapterConfigIn({{"format", "pt"}}, "file"));
    }

    void whatWouldChangeTheResultIsRefused_data()
    {
        QTest::addColumn<QByteArray>("entry");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const char* entry, const char* message) { QTest::newRow(name) << QByteArray(entry) << QByteArray(message); };
        row("another kind", R"("peft_type": "LOHA")", R"("peft_type" is not supported)");
        row("DoRA", R"("use_dora": true)", R"("use_dora" is true)");
        row("biases", R"("bias": "all")", R"("bias" is not supported; supported: none)");
        row("whole modules", R"("modules_to_save": ["proj_out"])", R"("modules_to_save" is set)");
        row("no rank", R"("r": null)", R"("r" is missing)");
        row("rank 0", R"("r": 0)", R"("r" must be a whole number from 1)");
        row("targets of another form", R"("target_modules": [1])", R"("target_modules" must be a list of strings)");
        row("broken expression", "\"target_modules\": \"(\"", "not a valid regular expression");
    }
    void whatWouldChangeTheResultIsRefused()
    {
        QFETCH(QByteArray, entry);
        QFETCH(QByteArray, message);
        const std::string rank = entry.startsWith("\"r\"") ? "" : R"("r": 4, )";
        const JsonConfig json("adapter_config.json", "{" + rank + R"("lora_alpha": 4, )" + entry.toStdString() + "}");
        const std::string error = errorFrom([&] { contract::readAdapterConfig(json); });
        QVERIFY2(error.find(message.toStdString()) != std::string::npos, error.c_str());
    }
};

QTEST_APPLESS_MAIN(AdapterTargetsTest)
#include "tst_adapter_targets.moc"
