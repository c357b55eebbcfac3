// The images, by what they show.
#pragma once
#include "launcher/base/data_home.h"
#include "tests/ui/screenshots/album.h"

namespace screenshots {

/// The main window and the launch window on a data home that the user has, in light and dark.
void showHome(const launcher::DataHome& home, Album& album);
/// What a small screen, or a larger one at 200 %, has room for.
void showSmall(Album& album);
/// An empty home, a damaged one, and one with many runs.
void showStates(Album& album);
/// Runs with other options and losses: columns of both, a filter, a mistake in one, the comparison and plots of differences.
void showTable(Album& album);
/// Lines of many runs, and the dialog in which they are chosen.
void showLines(Album& album);
/// Names longer than any place has room for, and the trash with a run in it.
void showLongNamesAndTrash(Album& album);
/// What went wrong first in a run of four ranks.
void showFailure(Album& album);
/// Pages of the manual.
void showManual(Album& album);
/// Runs in every state of the queue; the scheduler is this program, which starts none.
void showQueue(Album& album);
/// The window on another machine: connected, cut off, without runs; and the dialog that opens it.
void showRemote(Album& album);
/// The windows that import runs, show what occupies the disk and compare two checkpoints.
void showDialogs(Album& album);
/// Views that wait, fail, have only old values, are cut off or filtered to nothing.
void showViewStates(Album& album);
/// The dialogs that ask for something, and menus that are filled at run time.
void showQuestions(Album& album);
/// Eight ranks on GPUs: the docks System and Steps, and the GPUs, presets and findings of the launch window.
void showMachine(Album& album);
/// Samples of two runs side by side, and the data that a run is trained on.
void showPictures(Album& album);

}  // namespace screenshots
