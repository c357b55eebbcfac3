// Options of policy optimization: their table, the settings that it gives, and the rules that span them.
#include "engine/contract/experiment/policy_settings.h"
#include "tests/paths.h"

#include <QtTest>

#include <algorithm>
#include <map>

using contract::Option;
using contract::OptionValue;
using contract::PolicySettings;

namespace {

/// Settings of the table's defaults and some changes.
PolicySettings settingsOf(const std::map<std::string, OptionValue>& changes)
{
    std::map<std::string, OptionValue, std::less<>> values;
    for (const Option& option : contract::options())
        values[std::string(option.key)] = option.defaultValue;
    values["algorithm.name"] = std::string("flow_grpo");
    for (const auto& [key, value] : changes)
        values.at(key) = value;
    return contract::policySettings([&](std::string_view key) -> const OptionValue& { return values.find(key)->second; });
}

/// What is wrong with the settings: "key: message" of each, or nothing.
QByteArray problemsWith(const std::map<std::string, OptionValue>& changes)
{
    QByteArray text;
    for (const auto& problem : contract::problemsOf(settingsOf(changes)))
        text += problem.key + ": " + problem.message + "\n";
    return text;
}

OptionValue integer(std::int64_t value) { return value; }
OptionValue text(const char* value) { return std::string(value); }

using Changes = std::map<std::string, OptionValue>;

}  // namespace

class PolicySettingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatDoesNotExistIsRefused_E016_A044()
    {
        contract::Experiment experiment;
        const auto algorithm = experiment.set("algorithm.name", std::string("grpo"));
        QVERIFY(algorithm && algorithm->message.find("flow_grpo") != std::string::npos && algorithm->message.find("dance_grpo") != std::string::npos);
        QCOMPARE(experiment.text("algorithm.name"), contract::Experiment().text("algorithm.name"));
        QVERIFY(experiment.set("rollout.sde_contiguous", false));  // only contiguous windows exist
    }

    void noValueOfZeroWhereThereIsNone_data()
    {
        QTest::addColumn<QByteArray>("key");
        for (const char* key : {"advantage.clip", "policy.clip", "policy.dppo_threshold"})
            QTest::addRow("A-112 %s", key) << QByteArray(key);
    }
    void noValueOfZeroWhereThereIsNone()
    {
        QFETCH(QByteArray, key);
        const Option* const found = contract::findOption(key.constData());
        QVERIFY(found && found->minimum > 0);
    }

    void defaultsAreThoseOfTheSheet_A031_A070_A080()
    {
        const PolicySettings settings = settingsOf({}), expected;
        QVERIFY(contract::problemsOf(settings).empty());
        QCOMPARE(settings.clip, 1e-4);
        QCOMPARE(settings.advantageLimit, 5.0);
        QCOMPARE(settings.rollout.noiseLevel, 1.0);
        QCOMPARE(settings.dppoThreshold, 1e-5);
        QVERIFY(settings.dppoDividesByVariance && settings.dividesByStd && settings.usesGlobalStd);
        QVERIFY(settings.klCoefficient == 0 && !settings.klUsesDt && !settings.bypassesOldPolicy);
        QCOMPARE(settings.rollout.windowEnd, 5);
        QCOMPARE(settings.rollout.windowSeed, 0U);
        // The table and the type agree.
        QCOMPARE(settings.clip, expected.clip);
        QCOMPARE(settings.miniBatches, expected.miniBatches);
        QCOMPARE(settings.epochs, expected.epochs);
        QCOMPARE(settings.rollout.prompts, expected.rollout.prompts);
        QCOMPARE(settings.rollout.samplesPerPrompt, expected.rollout.samplesPerPrompt);
        QCOMPARE(settings.rollout.steps, expected.rollout.steps);
    }

    void theNameOfTheAlgorithmSettlesTheRest_data()
    {
        using contract::PolicyLoss;
        using contract::StochasticKind;
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("loss");
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("isWindowShared");
        const auto row = [](const char* name, PolicyLoss loss, StochasticKind kind, bool isShared) {
            QTest::addRow("A-045 %s", name) << QByteArray(name) << int(loss) << int(kind) << isShared;
        };
        row("flow_grpo", PolicyLoss::FlowGrpo, StochasticKind::Sde, false);
        row("dance_grpo", PolicyLoss::FlowGrpo, StochasticKind::DanceSde, false);
        row("mix_grpo", PolicyLoss::FlowGrpo, StochasticKind::Sde, true);
        row("flow_dppo", PolicyLoss::FlowDppo, StochasticKind::Sde, false);
        row("grpo_guard", PolicyLoss::GrpoGuard, StochasticKind::Sde, false);
    }
    void theNameOfTheAlgorithmSettlesTheRest()
    {
        QFETCH(QByteArray, name);
        QVERIFY(contract::isPolicyAlgorithm(name.constData()));
        const PolicySettings settings = settingsOf({{"algorithm.name", name.toStdString()}, {"rollout.window_strategy", std::string("progressive")}});
        QCOMPARE(settings.algorithm, name.toStdString());
        QTEST(int(settings.loss), "loss");
        QTEST(int(settings.rollout.kind), "kind");
        QTEST(settings.rollout.isWindowShared, "isWindowShared");
        QTEST(settings.rollout.windowMoves, "isWindowShared");  // only MixGRPO's moves
        const auto cps = settingsOf({{"algorithm.name", name.toStdString()}, {"rollout.sde_type", std::string("cps")}});
        QCOMPARE(int(cps.rollout.kind), int(contract::StochasticKind::Cps));
    }

    void everythingElseIsNoPolicyAlgorithm()
    {
        for (const char* name : {"flow_matching", "sft", "", "flow_grpo2"})
            QVERIFY(!contract::isPolicyAlgorithm(name));
    }

    void whatContradictsItselfIsRefused_data()
    {
        QTest::addColumn<Changes>("changes");
        QTest::addColumn<QByteArray>("start");
        QTest::newRow("A-070 one sample per prompt") << Changes {{"rollout.samples_per_prompt", integer(1)}}
            << QByteArray("rollout.samples_per_prompt: rollout.samples_per_prompt = 1: ");
        QTest::newRow("A-029 no noise") << Changes {{"rollout.noise_level", OptionValue(0.0)}} << QByteArray("rollout.noise_level: rollout.noise_level = 0: ");
        QTest::newRow("A-041 one step") << Changes {{"rollout.steps", integer(1)}} << QByteArray("rollout.steps: rollout.steps = 1: ");
        QTest::newRow("A-041 window wider than its range") << Changes {{"rollout.window_size", integer(3)}, {"rollout.window_begin", integer(3)}}
            << QByteArray("rollout.window_size: rollout.window_size = 3 does not fit between rollout.window_begin = 3 and rollout.window_end = 5");
        QTest::newRow("A-147 more branching steps than their range") << Changes {{"rollout.branch_steps", integer(6)}}
            << QByteArray("rollout.branch_steps: rollout.branch_steps = 6 does not fit between rollout.window_begin = 0 and rollout.window_end = 5");
        QTest::newRow("A-147 branches and a window") << Changes {{"rollout.branch_steps", integer(2)}, {"rollout.window_size", integer(2)}}
            << QByteArray("rollout.window_size: rollout.window_size = 2, but samples that branch have one stochastic step each");
        QTest::newRow("A-147 every step of the range") << Changes {{"rollout.branch_steps", integer(5)}} << QByteArray();
        QTest::newRow("A-041 range beyond the steps") << Changes {{"rollout.window_size", integer(2)}, {"rollout.steps", integer(4)}}
            << QByteArray("rollout.window_end: rollout.window_end = 5 lies beyond rollout.steps = 4");
        QTest::newRow("A-094 a teacher that teaches nothing") << Changes {{"distill.teacher", text("/")}} << QByteArray("distill.mode: ");
        QTest::newRow("A-094 no teacher") << Changes {{"distill.mode", text("distill_kl")}} << QByteArray("distill.teacher: distill.teacher is not set");
        QTest::newRow("A-094 teacher is not there") << Changes {{"distill.mode", text("distill_kl")}, {"distill.teacher", text("/no/such")}}
            << QByteArray("distill.teacher: distill.teacher = \"/no/such\": no such folder");
        QTest::newRow("A-102 bounds are no number") << Changes {{"correction.importance_threshold", text("two")}}
            << QByteArray("correction.importance_threshold: correction.importance_threshold = \"two\": ");
        QTest::newRow("A-102 bounds of 0") << Changes {{"correction.importance_threshold", text("0")}} << QByteArray("correction.importance_threshold: ");
        QTest::newRow("A-102 no bounds") << Changes {{"correction.importance_threshold", text("")}} << QByteArray("correction.importance_threshold: ");
        QTest::newRow("A-102 infinite bounds") << Changes {{"correction.importance_threshold", text("Infinity")}} << QByteArray("correction.importance_threshold: ");
        QTest::newRow("A-102 bounds the wrong way round") << Changes {{"correction.importance_threshold", text("2_0.5")}}
            << QByteArray("correction.importance_threshold: correction.importance_threshold = \"2_0.5\": the lower bound must come first");
        QTest::newRow("A-103 unknown mode") << Changes {{"correction.reject", text("token_k4")}, {"correction.reject_threshold", text("1")}}
            << QByteArray("correction.reject: correction.reject = \"token_k4\": no such mode");
        QTest::newRow("A-103 seq_max_k1 does not exist") << Changes {{"correction.reject", text("seq_max_k1")}, {"correction.reject_threshold", text("1")}}
            << QByteArray("correction.reject: ");
        QTest::newRow("A-103 an empty mode") << Changes {{"correction.reject", text("token_k1,")}, {"correction.reject_threshold", text("1")}}
            << QByteArray("correction.reject: ");
        QTest::newRow("A-103 no bounds") << Changes {{"correction.reject", text("token_k1")}} << QByteArray("correction.reject_threshold: ");
        QTest::newRow("A-103 too many bounds") << Changes {{"correction.reject", text("token_k1")}, {"correction.reject_threshold", text("1,2")}}
            << QByteArray("correction.reject_threshold: ");
        QTest::newRow("A-103 a lower bound of k3") << Changes {{"correction.reject", text("token_k3")}, {"correction.reject_threshold", text("0.5_2")}}
            << QByteArray("correction.reject_threshold: correction.reject_threshold = \"0.5_2\": token_k3 is never negative");
        QTest::newRow("A-100 bypass without rejection") << Changes {{"correction.bypass", OptionValue(true)}, {"correction.importance", text("token")}}
            << QByteArray("correction.bypass: ");
        QTest::newRow("A-095 A-100 nothing is recomputed") << Changes {{"correction.importance", text("token")}}
            << QByteArray("policy.recompute_old: policy.recompute_old = false, but rollout correction compares");
        QTest::newRow("A-095 A-100 recomputed") << Changes {{"correction.importance", text("token")}, {"policy.recompute_old", OptionValue(true)}}
            << QByteArray();
        QTest::newRow("A-103 A-100 allowed") << Changes {{"correction.bypass", OptionValue(true)}, {"correction.reject", text("token_k1, seq_max_k3")},
            {"correction.reject_threshold", text("0.5_2, 0.1")}} << QByteArray();
        QTest::newRow("A-041 A-043 allowed") << Changes {{"rollout.window_size", integer(5)}, {"rollout.steps", integer(5)}} << QByteArray();
    }
    void whatContradictsItselfIsRefused()
    {
        QFETCH(Changes, changes);
        QFETCH(QByteArray, start);
        const QByteArray problems = problemsWith(changes);
        QVERIFY2(start.isEmpty() ? problems.isEmpty() : problems.startsWith(start), problems);
        QVERIFY2(problems.count('\n') <= 1, problems);
    }

    void anExperimentIsCheckedBeforeItStarts_data()
    {
        QTest::addColumn<Changes>("changes");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("A-112 right") << Changes {} << QByteArray();
        QTest::newRow("A-112 E-140 samples that do not divide") << Changes {{"batch.micro", integer(96)}}
            << QByteArray("rollout.prompts times rollout.samples_per_prompt = 128 is not a multiple of batch.micro = 96 times the 2 data-parallel ranks");
        QTest::newRow("A-041 no window") << Changes {{"rollout.window_size", integer(6)}} << QByteArray("rollout.window_size = 6 does not fit");
        QTest::newRow("A-029 no noise") << Changes {{"rollout.noise_level", OptionValue(0.0)}} << QByteArray("rollout.noise_level = 0");
        QTest::newRow("A-112 digits have their own reward") << Changes {{"reward.functions", text("brightness")}}
            << QByteArray("reward.functions = \"brightness\": model.name = \"dit\" has its own prompts and reward");
        QTest::newRow("A-112 digits have their own prompts") << Changes {{"rollout.prompt_file", text("prompts.txt")}}
            << QByteArray("rollout.prompt_file = \"prompts.txt\": model.name = \"dit\" has its own prompts and reward");
        const Changes emoji = {{"model.name", text("sd3")}, {"data.source", text("emoji")}, {"reward.functions", text("brightness")},
            {"checkpoint.init_from", text("/")}};
        const auto with = [](Changes changes, const Changes& more) {
            for (const auto& [key, value] : more)
                changes[key] = value;
            return changes;
        };
        QTest::newRow("A-112 right, of captions") << emoji << QByteArray();
        QTest::newRow("A-112 no reward") << with(emoji, {{"reward.functions", text("")}}) << QByteArray("reward.functions is not set: give at least one reward to train by");
        QTest::newRow("A-094 a teacher needs no reward") << with(emoji, {{"reward.functions", text("")}, {"algorithm.name", text("distill")},
            {"distill.mode", text("distill_kl")}, {"distill.teacher", text("/")}}) << QByteArray();
        QTest::newRow("emoji have a base") << with(emoji, {{"checkpoint.init_from", text("")}}) << QByteArray();
        QTest::newRow("A-112 a model that cannot draw yet")
            << with(emoji, {{"checkpoint.init_from", text("")}, {"data.source", text("folder")}, {"data.folder", text("/")}})
            << QByteArray("checkpoint.init_from is not set: algorithm.name = \"flow_grpo\" improves a model that draws already");
        const std::string model = ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline";
        const Changes adapter = {{"model.name", text("diffusers")}, {"model.folder", model}, {"reward.functions", text("brightness")},
            {"rollout.prompt_file", text(ATELIER_SOURCE_DIR "/README.md")}, {"lora.rank", integer(4)}};
        QTest::newRow("A-112 right, of a prompt file, without images") << adapter << QByteArray();
        QTest::newRow("A-112 neither prompts nor images") << with(adapter, {{"rollout.prompt_file", text("")}}) << QByteArray("rollout.prompt_file is not set");
        QTest::newRow("A-112 no such prompts") << with(adapter, {{"rollout.prompt_file", text("/no/such\nfile")}})
            << QByteArray("rollout.prompt_file = \"/no/such\\nfile\": no such file");
        QTest::newRow("A-112 prompts are a folder") << with(adapter, {{"rollout.prompt_file", text("/")}}) << QByteArray("rollout.prompt_file = \"/\": is a folder, not a file of prompts");
        QTest::newRow("A-095 dropout") << with(adapter, {{"lora.dropout", OptionValue(0.1)}})
            << QByteArray("lora.dropout = 0.1: algorithm.name = \"flow_grpo\" compares what the same weights predict");
        QTest::newRow("A-095 dropout of nothing") << with(adapter, {{"lora.dropout", OptionValue(0.1)}, {"lora.rank", integer(0)}}) << QByteArray();
        const auto digits = [&](const char* algorithm, Changes more) {
            more.insert({"algorithm.name", text(algorithm)});
            return more;
        };
        QTest::newRow("A-112 pairs that do not divide") << digits("dpo", {{"batch.micro", integer(3)}})
            << QByteArray("batch.micro = 3: dpo trains on a pair of samples of each prompt, 32 samples in all, of which");
        QTest::newRow("A-143 A-112 groups that are not whole") << digits("dgpo", {{"batch.micro", integer(2)}})
            << QByteArray("batch.micro = 2: dgpo compares all samples of a prompt in one pass");
        QTest::newRow("A-142 no moving average") << digits("awm", {{"awm.ema_coef", OptionValue(0.1)}, {"ema.decay", OptionValue(0.0)}})
            << QByteArray("awm.ema_coef = 0.1, but ema.decay = 0 keeps no moving average");
        QTest::newRow("A-146 an empty range") << digits("dgpo", {{"timesteps.lowest", OptionValue(0.9)}})
            << QByteArray("timesteps.highest = 0.9 is not above timesteps.lowest = 0.9");
        QTest::newRow("no average as the reference") << digits("flow_grpo", {{"policy.reference", text("ema")}, {"policy.kl_coef", OptionValue(0.1)}, {"ema.decay", OptionValue(0.0)}})
            << QByteArray("policy.reference = \"ema\", but ema.decay = 0 keeps no moving average");
        QTest::newRow("nothing to adapt") << digits("flow_grpo", {{"policy.kl_target", OptionValue(0.1)}})
            << QByteArray("policy.kl_coef = 0, but policy.kl_target = 0.1 is to be reached by changing it");
        QTest::newRow("nothing to watch") << digits("flow_grpo", {{"gold.patience", integer(3)}})
            << QByteArray("gold.reward is not set, but gold.patience = 3 waits for a gain in it");
        QTest::newRow("an unknown reward to watch") << digits("flow_grpo", {{"gold.reward", text("taste")}})
            << QByteArray("gold.reward = \"taste\": the digits model has one other reward; set it to \"judge\"");
        QTest::newRow("a watched reward that is not scored") << with(adapter, {{"gold.reward", text("taste")}})
            << QByteArray("gold.reward = \"taste\": is not among reward.functions, whose short names are brightness; add it there with the weight 0");
        QTest::newRow("A-112 nothing to compare") << with(adapter, {{"reward.functions", text("group:http://host/")}, {"rollout.samples_per_prompt", integer(1)},
            {"rollout.prompts", integer(64)}}) << QByteArray("rollout.samples_per_prompt = 1: samples are compared with others of their prompt");
        QTest::newRow("A-112 right, groups and pairs") << with(adapter, {{"reward.functions", text("group:http://host/:0, pairs:http://host/")},
            {"gold.reward", text("host")}}) << QByteArray();
        QTest::newRow("E-028 a model of all ranks, a scorer of one") << with(adapter, {{"reward.functions", text("group:http://host/")}, {"reward.shard", OptionValue(true)}})
            << QByteArray("reward.shard = true: ranks that share a model score equally many samples at the same time");
        QTest::newRow("A-094 no teacher") << digits("distill", {{"distill.mode", text("distill_kl")}})
            << QByteArray("distill.teacher is not set");
        QTest::newRow("A-094 no way to learn from it") << digits("distill", {})
            << QByteArray("distill.mode = \"none\", but algorithm.name = \"distill\" learns from a teacher only");
        QTest::newRow("A-112 image samples that do not divide") << with(adapter, {{"batch.micro", integer(96)}})
            << QByteArray("rollout.prompts times rollout.samples_per_prompt = 128 is not a multiple of batch.micro = 96");
    }
    void anExperimentIsCheckedBeforeItStarts()
    {
        QFETCH(Changes, changes);
        QFETCH(QByteArray, message);
        contract::Experiment experiment;
        changes.insert({"algorithm.name", text("flow_grpo")});
        changes.insert({"data.path", text(ATELIER_SOURCE_DIR "/resources/digits.csv.gz")});
        for (const auto& [key, value] : changes)
            QVERIFY2(!experiment.set(key, value), key.c_str());
        QByteArray problems;
        for (const auto& problem : experiment.validate())
            problems += problem.message + "\n";
        QVERIFY2(message.isEmpty() ? problems.isEmpty() : problems.contains(message), problems);
    }

    void correctionsAreParsed_A102_A103()
    {
        contract::Problem problem;
        const auto spec = contract::parseCorrection({"sequence", "0.5_3", true, "seq_mean_k1,token_k2", "4"}, problem);
        QVERIFY(spec && spec->isEnabled());
        QVERIFY(spec->weights == contract::CorrectionSpec::Weights::Rows && spec->normalisesWeights);
        QVERIFY(spec->bounds.hasLower && spec->bounds.lower == 0.5 && spec->bounds.upper == 3);
        QCOMPARE(spec->rejections.size(), std::size_t {2});
        QCOMPARE(spec->rejections[0].bounds.lower, 0.25);  // 1 / upper
        QVERIFY(!spec->rejections[0].bounds.hasLower && spec->rejections[0].over == contract::RejectionRule::Over::RowMean);
        QVERIFY(spec->rejections[1].statistic == contract::RejectionRule::Statistic::K2 && spec->rejections[1].bounds.upper == 4);
        QVERIFY(!contract::parseCorrection({}, problem)->isEnabled());
        QVERIFY(!contract::parseCorrection({"tokens", "2", false, "", ""}, problem));
        QVERIFY(problem.key == "correction.importance");
    }
};

QTEST_APPLESS_MAIN(PolicySettingsTest)
#include "tst_policy_settings.moc"
