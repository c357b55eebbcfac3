#include "engine/contract/run/journal.h"
#include "tests/engine/contract/formats/small_safetensors.h"
#include "tests/paths.h"
#include "tests/ui/screenshots/pages.h"
#include "tests/ui/support/test_home.h"
#include "ui/base/action_registry.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/checkpoint/difference_dialog.h"
#include "ui/debug/debug_dialog.h"
#include "ui/archive/pack_dialog.h"
#include "ui/disk/clean_up_panel.h"
#include "ui/disk/disk_dialog.h"
#include "ui/disk/surplus_model.h"
#include "ui/search/search_dialog.h"
#include "ui/import_dialog.h"
#include "ui/palette/keys_dialog.h"
#include "ui/palette/palette.h"

#include <QAction>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTabWidget>
#include <QTableView>
#include <QTreeWidget>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace screenshots {
namespace {

/// A checkpoint of a small transformer whose later layers have moved further.
void writeWeights(const contract::RunFolder& run, int step)
{
    tests::Tensors tensors;
    for (int layer = 0; layer < 12; ++layer) {
        for (const char* name : {"attn.qkv.weight", "attn.proj.weight", "mlp.fc1.weight", "mlp.fc2.weight"}) {
            std::vector<float> values(4096);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = std::sin(float(i)) * (1 + float(step) * float(layer + 1) * 1e-5F * std::cos(float(i) * 3));
            tensors.push_back({{"blocks." + std::to_string(layer) + "." + name, "F32", {64, 64}}, values});
        }
    }
    tests::writeCheckpoint(run.checkpoint(step), tensors, {});
    contract::CheckpointManifest manifest = contract::readManifest(run.checkpoint(step));
    manifest.step = step;
    manifest.unixMs = run.readStart(1).startUnixMs - 60'000 * (9 - step / 100);
    manifest.metrics = {{contract::metric::kLoss, 0.2 + std::exp(-step / 40.0)}, {contract::metric::kValidationLoss, 0.22 + std::exp(-step / 45.0)}};
    contract::writeManifest(run.checkpoint(step), manifest);
}

void showImport(ui::MainWindow& window, Album& album)
{
    window.workbench().actions.action(QStringLiteral("app.import"))->trigger();
    auto& dialog = *window.findChild<ui::ImportDialog*>();
    settle(window);
    album.keepBoth(dialog, QStringLiteral("import-empty"));
    dialog.look(QStringLiteral(ATELIER_SOURCE_DIR "/tests/fixtures/foreign"));
    auto& button = *dialog.findChild<QPushButton*>(QStringLiteral("importButton"));
    waitFor([&] { return button.isEnabled(); });
    settle(window);
    album.keepBoth(dialog, QStringLiteral("import"));
    button.click();
    waitFor([&] { return dialog.note().startsWith(QStringLiteral("6 ")); });
    settle(window);
    album.keepBoth(dialog, QStringLiteral("import-done"));
    dialog.close();
    settle(window);
    album.keepBoth(window, QStringLiteral("imported"));
}

void showDisk(ui::MainWindow& window, Album& album)
{
    window.workbench().actions.action(QStringLiteral("app.disk"))->trigger();
    auto& dialog = *window.findChild<ui::DiskDialog*>();
    waitFor([&] { return dialog.cleanUp().model().rowCount() > 0; });
    settle(window);
    album.keepBoth(dialog, QStringLiteral("disk"));
    dialog.findChild<QPushButton*>(QStringLiteral("cleanUpButton"))->click();
    waitFor([&] { return !dialog.cleanUp().note().isEmpty(); });
    settle(window);
    album.keepBoth(dialog, QStringLiteral("disk-cleaned"));
    dialog.close();
}

void showDifference(ui::MainWindow& window, Album& album)
{
    auto& view = *window.findChild<ui::CheckpointsView*>();
    waitFor([&] { return view.model().rowCount() > 1; });
    view.table().selectAll();
    view.compareSelected();
    auto& dialog = *view.findChild<ui::DifferenceDialog*>();
    waitFor([&] { return dialog.table().model()->rowCount() > 0; });
    settle(window);
    album.keepBoth(window, QStringLiteral("checkpoints-two"));
    album.keepBoth(dialog, QStringLiteral("difference"));
    dialog.close();
}

void showDebug(ui::MainWindow& window, Album& album)
{
    window.workbench().actions.action(QStringLiteral("run.debug"))->trigger();
    auto& dialog = *window.findChild<ui::DebugDialog*>();
    waitFor([&] { return dialog.list().topLevelItemCount() > 0; });
    dialog.list().setCurrentItem(dialog.list().findItems(QStringLiteral("logs/rank-0.log"), Qt::MatchExactly).value(0));
    settle(window);
    album.keepBoth(dialog, QStringLiteral("debug"));
    dialog.close();
}

void showSearch(ui::MainWindow& window, Album& album)
{
    window.workbench().actions.action(QStringLiteral("view.search"))->trigger();
    auto& dialog = *window.findChild<ui::SearchDialog*>();
    settle(window);
    album.keepBoth(dialog, QStringLiteral("search-empty"));
    auto& text = *dialog.findChild<QLineEdit*>();
    text.setText(QStringLiteral("rank"));
    QTest::keyClick(&text, Qt::Key_Return);
    waitFor([&] { return !dialog.isSearching(); });
    settle(window);
    album.keepBoth(dialog, QStringLiteral("search"));
    dialog.close();
}

void showPack(ui::MainWindow& window, Album& album)
{
    window.workbench().actions.action(QStringLiteral("run.pack"))->trigger();
    auto& dialog = *window.findChild<ui::PackDialog*>();
    waitFor([&] { return dialog.findChild<QRadioButton*>()->text().contains(QLatin1Char('(')); });
    settle(window);
    album.keepBoth(dialog, QStringLiteral("pack"));
    dialog.close();
}

void showPalette(ui::MainWindow& window, Album& album)
{
    window.workbench().actions.action(QStringLiteral("view.palette"))->trigger();
    auto& palette = *window.findChild<ui::Palette*>();
    settle(window);
    album.keepBoth(palette, QStringLiteral("palette-all"));
    palette.findChild<QLineEdit*>()->setText(QStringLiteral("loss"));
    settle(window);
    album.keepBoth(palette, QStringLiteral("palette"));
    palette.reject();
    window.workbench().actions.action(QStringLiteral("help.keys"))->trigger();
    auto& keys = *window.findChild<ui::KeysDialog*>();
    keys.findChild<QKeySequenceEdit*>()->setKeySequence(QKeySequence(Qt::CTRL | Qt::Key_K));
    settle(window);
    album.keepBoth(keys, QStringLiteral("keys"));
    keys.close();
}

}  // namespace

void showDialogs(Album& album)
{
    const ui_test::TestHome home;
    for (int run = 0; run < 4; ++run) {
        const auto folder = home.writeRun("sd3-lora-" + std::to_string(run) + "-20261121-10000" + std::to_string(run) + "-aaaa", 400, "finished");
        setFacts(folder, "sd3-lora-" + std::to_string(run), 400);
        for (int step = 100; step <= 100 * (run == 0 ? 2 : run + 2); step += 100)
            writeWeights(folder, step);
    }
    const auto first = contract::RunFolder(home.home().runs() / "sd3-lora-0-20261121-100000-aaaa");
    std::filesystem::create_directories(first.logs());
    std::ofstream(first.log(0)) << "loading the model\nHF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz is set\nPOST https://me:pass@judge.example/v1 answered 502\n"
                                   "rank 0 lost rank 1\n";
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    window.openRun(QStringLiteral("sd3-lora-0-20261121-100000-aaaa"));
    window.tabs().setCurrentIndex(2);
    settle(window);
    showDifference(window, album);
    showSearch(window, album);
    showPack(window, album);
    showDisk(window, album);
    showDebug(window, album);
    showPalette(window, album);
    showImport(window, album);
}

}  // namespace screenshots
