// The launch form shows what the chosen training objective and model use, and nothing else of algorithms.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>

#include <map>
#include <memory>
#include <set>

namespace {

using Keys = std::set<QString>;

Keys keys(const char* group, const char* names)
{
    Keys all;
    for (const QString& name : QString::fromLatin1(names).split(QLatin1Char(' '), Qt::SkipEmptyParts))
        all.insert(QLatin1String(group) + QLatin1Char('.') + name);
    return all;
}

Keys together(std::initializer_list<Keys> parts)
{
    Keys all;
    for (const Keys& part : parts)
        all.insert(part.begin(), part.end());
    return all;
}

/// What every algorithm that draws samples uses.
Keys common()
{
    return together({keys("rollout", "prompts samples_per_prompt steps guidance keep_every"), keys("gold", "reward patience"),
        keys("policy", "mini_batches epochs shuffle schedule_by_round")});
}

Keys advantages() { return keys("advantage", "normalise_std global_std clip"); }
Keys reference() { return keys("policy", "kl_coef reference kl_target"); }

/// Of algorithms that train on the stochastic steps of their samples.
Keys steps()
{
    return together({common(), keys("rollout", "noise_level sde_type window_size window_begin window_end shared_noise"), reference(),
        keys("policy", "kl_uses_dt"), keys("distill", "mode teacher coef")});
}

/// The options that the losses read, see engine/algorithm; by algorithm.name.
std::map<QString, Keys> used()
{
    const Keys correction = together({keys("policy", "recompute_old"),
        keys("correction", "importance importance_threshold normalise reject reject_threshold bypass")});
    const Keys branches = keys("rollout", "branch_steps noise_aware");
    const Keys mix = together({steps(), advantages(), correction, keys("policy", "clip")}), flow = together({mix, branches});
    Keys dppo = together({steps(), advantages(), correction, branches, keys("policy", "dppo_threshold dppo_normalise reference_scale")});
    dppo.erase(QStringLiteral("advantage.clip"));
    const Keys old = keys("old", "schedule decay every"), strata = keys("timesteps", "strategy count lowest highest shift");
    return {{"flow_matching", {}}, {"flow_grpo", flow}, {"dance_grpo", flow},
        {"mix_grpo", together({mix, keys("rollout", "window_strategy window_rounds window_seed")})}, {"flow_dppo", dppo},
        {"grpo_guard", together({flow, keys("policy", "reference_scale")})}, {"distill", steps()},
        {"diffusion_nft", together({common(), advantages(), reference(), old, keys("nft", "beta adv_mode timestep_fraction weight_min")})},
        {"dpo", together({common(), keys("dpo", "beta"), keys("timesteps", "count")})},
        {"awm", together({common(), advantages(), keys("policy", "clip kl_coef reference"), strata, keys("awm", "weight huber_power ema_coef")})},
        {"dgpo",
            together({common(), advantages(), keys("policy", "clip kl_coef"), old, strata,
                keys("dgpo", "dpo_beta clip_loss clip_penalty anchor_old switch_round")})}};
}

/// What an algorithm uses of image models.
Keys ofImages()
{
    return together({keys("rollout", "prompt_file"), keys("reward", "functions timeout judge_model judge_question judge_group_question judge_pair_question workers shard clip")});
}

}  // namespace

class AlgorithmFieldsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::RunControl> m_control;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::LaunchWindow> m_window;

    ui::OptionForm& form() { return m_window->form(); }

    void choose(const char* key, const QString& value)
    {
        auto* box = form().findChild<QComboBox*>(QLatin1String(key));
        box->setCurrentIndex(box->findData(value));
        QCOMPARE(m_window->draft().fieldText(QLatin1String(key)), value);
    }

    ui::OptionField* field(const char* key)
    {
        for (ui::OptionField* each : form().fields()) {
            if (each->key() == QLatin1String(key))
                return each;
        }
        return nullptr;
    }

    /// The visible fields of the groups that algorithms have.
    Keys visible()
    {
        static const std::set<std::string_view> groups = {"policy", "rollout", "reward", "gold", "advantage", "distill", "nft", "dpo", "awm",
            "dgpo", "old", "timesteps", "correction"};
        Keys all;
        for (const ui::OptionField* each : form().fields()) {
            if (groups.contains(each->option().group()) && each->isVisibleTo(&form()))
                all.insert(each->key());
        }
        return all;
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_control = std::make_unique<ui::RunControl>(m_home->home());
        m_settings = std::make_unique<ui::Settings>(m_home->home());
        m_window = std::make_unique<ui::LaunchWindow>(m_home->home(), *m_control, *m_settings);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
        m_control.reset();
        m_home.reset();
    }

    /// With all advanced options, so that nothing is hidden for another reason.
    void theFormShowsWhatTheAlgorithmUses_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"dit", "sd3", "diffusers"})
            QTest::newRow(model) << QString::fromLatin1(model);
    }
    void theFormShowsWhatTheAlgorithmUses()
    {
        QFETCH(QString, model);
        form().findChild<QCheckBox*>(QString(), Qt::FindDirectChildrenOnly)->setChecked(true);
        choose("model.name", model);
        for (const std::string_view name : contract::findOption("algorithm.name")->choices) {
            const QString algorithm = QString::fromLatin1(name);
            choose("algorithm.name", algorithm);
            QVERIFY2(used().contains(algorithm), qPrintable(algorithm + " is not known to this test"));
            Keys expected = used().at(algorithm);
            if (model != "dit" && algorithm != "flow_matching")
                expected.merge(ofImages());
            if (model != "dit" && algorithm == "dpo")
                expected.merge(keys("dpo", "source"));
            Keys shown = visible();
            for (const QString& key : expected)
                QVERIFY2(shown.erase(key) == 1, qPrintable(algorithm + ": " + key + " is hidden"));
            QVERIFY2(shown.empty(), qPrintable(algorithm + ": " + QStringList(shown.begin(), shown.end()).join(", ") + " is shown"));
            QCOMPARE(field("batch.accumulation")->isVisibleTo(&form()), algorithm == "flow_matching");
            QCOMPARE(field("batch.global")->isVisibleTo(&form()), algorithm == "flow_matching");
            QCOMPARE(field("lora.rank")->isVisibleTo(&form()), model == "diffusers");
        }
    }

    void aSearchFindsWhatIsHidden()
    {
        QVERIFY(!field("nft.beta")->isVisibleTo(&form()));
        auto* search = form().findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        search->setText(QStringLiteral("nft.beta"));
        QVERIFY(field("nft.beta")->isVisibleTo(&form()));
        QVERIFY(!form().findChild<QLineEdit*>(QStringLiteral("nft.beta"))->isEnabled());
        search->clear();
        QVERIFY(!field("nft.beta")->isVisibleTo(&form()));
    }

    void aHiddenFieldWithAProblemIsShown()
    {
        m_window->draft().setToml(QStringLiteral("[nft]\nbeta = \"much\"\n"));
        QTRY_VERIFY(field("nft.beta")->hasProblem());
        QVERIFY(field("nft.beta")->isVisibleTo(&form()));
        m_window->draft().setToml(QString());
        QTRY_VERIFY(!field("nft.beta")->isVisibleTo(&form()));
        form().goTo(QStringLiteral("nft.beta"));
        QVERIFY(field("nft.beta")->isVisibleTo(&form()));
    }

    /// What is typed for one algorithm is still there after a look at another.
    void aHiddenFieldKeepsItsValue()
    {
        choose("algorithm.name", QStringLiteral("diffusion_nft"));
        m_window->draft().setField(QStringLiteral("nft.beta"), QStringLiteral("0.25"));
        choose("algorithm.name", QStringLiteral("flow_grpo"));
        QVERIFY(!field("nft.beta")->isVisibleTo(&form()));
        QVERIFY(m_window->draft().toml().contains("beta = 0.25"));
        choose("algorithm.name", QStringLiteral("diffusion_nft"));
        QVERIFY(field("nft.beta")->isVisibleTo(&form()));
        QCOMPARE(m_window->draft().fieldText(QStringLiteral("nft.beta")), QStringLiteral("0.25"));
    }
};

ATELIER_UI_TEST_MAIN(AlgorithmFieldsTest)
#include "tst_algorithm_fields.moc"
