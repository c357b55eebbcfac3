#!/usr/bin/env python3
"""Makes the curves and the table of resources/manual/rewards.md: every algorithm on the digits, with several seeds.

usage: tests/bench/reward_curves.py [ALGORITHM …] [--seeds N]: runs `atelier run digits-ALGORITHM` of the release build, by default all
algorithms with seeds 1 to 3, and writes rewards.svg, divergence.svg, distance.svg and rewards.csv beside the page. A run that the data
home already has is not repeated. policy.kl_coef is 1e-8, so that the distance from the base is measured and does next to nothing.
"""
import argparse
import csv
import io
import json
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
ATELIER = ROOT / "build/release/bin/atelier"
MANUAL = ROOT / "resources/manual"
SAMPLES_A_ROUND = 256
GOAL = 0.85
UPDATES_A_ROUND = 2
SMALL = 1e-8  # policy.kl_coef
# How an algorithm measures its distance from the base: by the divergence of stochastic steps, or by squared differences of predictions.
# AWM journals the latter times policy.kl_coef.
DIVERGENCE, DISTANCE = "divergence", "distance"
ALGORITHMS = {
    "flow-grpo": (DIVERGENCE, "actor/kl_loss", 1), "dance-grpo": (DIVERGENCE, "actor/kl_loss", 1), "mix-grpo": (DIVERGENCE, "actor/kl_loss", 1),
    "flow-dppo": (DIVERGENCE, "actor/kl_loss", 1), "grpo-guard": (DIVERGENCE, "actor/kl_loss", 1), "nft": (DISTANCE, "actor/ref_kl_loss", 1),
    "awm": (DISTANCE, "actor/kl_loss", SMALL), "dgpo": (DISTANCE, "actor/kl_div", 1), "dpo": (DISTANCE, "actor/ref_kl_loss", 1),
}
# Okabe and Ito's colours, which the colour-blind tell apart; the second four are dashed.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f", "#0072b2"]
DASHES = ["", "", "", "", "", "6 3", "6 3", "6 3", "2 2"]


def atelier(*arguments):
    return subprocess.run([ATELIER, *arguments], check=True, capture_output=True, text=True).stdout


def finished_run(name):
    # Fails where there is no data home yet.
    listed = subprocess.run([ATELIER, "list", "--json"], capture_output=True, text=True).stdout
    runs = [run for run in json.loads(listed or "[]") if run["name"] == name and run["state"] == "finished"]
    return runs[0]["id"] if runs else None


def measured(algorithm, seed):
    """A run's rounds: samples drawn so far, mean reward, distance from the base; and what the second classifier says at the end."""
    _, distance, unit = ALGORITHMS[algorithm]
    name = f"curve-{algorithm}-{seed}"
    run = finished_run(name)
    if not run:
        settings = [f"run.seed={seed}", "sample.every=0", "sample.judge=400", "rollout.keep_every=0"]
        if algorithm != "dpo":
            settings.append(f"policy.kl_coef={SMALL}")
        atelier("run", f"digits-{algorithm}", "--name", name, "--json", *[part for setting in settings for part in ("--set", setting)])
        run = finished_run(name)
    values = {}
    for row in csv.DictReader(io.StringIO(atelier("export", run, "--csv"))):
        if row["rank"] == "0" and row["superseded"] == "false":
            values.setdefault(row["metric"], {})[int(row["step"])] = float(row["value"])
    rounds = []
    for step, reward in sorted(values["critic/rewards/mean"].items()):
        # The distance is that of the round's last update, after which the weights are those of the next round.
        measure = values[distance].get(step + UPDATES_A_ROUND)
        rounds.append(((step // UPDATES_A_ROUND + 1) * SAMPLES_A_ROUND, reward, None if measure is None else measure / unit))
    return {"rounds": rounds, "judged": values["judge/reward"].popitem()[1], "base": values["judge/base_reward"].popitem()[1]}


def samples_until(rounds):
    return next((samples for samples, reward, _ in rounds if reward >= GOAL), None)


class Chart:
    """Lines with bands over the number of samples, as SVG."""
    WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 380, 56, 130, 16, 44

    def __init__(self, title, highest_x, highest_y):
        self.title, self.highest_x, self.highest_y = title, highest_x, highest_y
        self.parts = []
        self.labels = []

    def x(self, value):
        return self.LEFT + value / self.highest_x * (self.WIDTH - self.LEFT - self.RIGHT)

    def y(self, value):
        return self.HEIGHT - self.BOTTOM - min(value / self.highest_y, 1.02) * (self.HEIGHT - self.TOP - self.BOTTOM)

    def grid(self, ticks_x, ticks_y):
        bottom, right = self.y(0), self.x(self.highest_x)
        for tick in ticks_x:
            self.parts.append(f'<line x1="{self.x(tick):.1f}" y1="{self.TOP}" x2="{self.x(tick):.1f}" y2="{bottom}" stroke="#e4e4e4"/>'
                              f'<text x="{self.x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:,}</text>')
        for tick in ticks_y:
            self.parts.append(f'<line x1="{self.LEFT}" y1="{self.y(tick):.1f}" x2="{right:.1f}" y2="{self.y(tick):.1f}" stroke="#e4e4e4"/>'
                              f'<text x="{self.LEFT - 8}" y="{self.y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
        self.parts.append(f'<text x="{(self.LEFT + right) / 2:.1f}" y="{self.HEIGHT - 6}" text-anchor="middle">samples drawn</text>')

    def line(self, name, points, index):
        """points: [(samples, [value of each seed])]"""
        middle = " ".join(f"{self.x(x):.1f},{self.y(statistics.median(values)):.1f}" for x, values in points)
        band = [f"{self.x(x):.1f},{self.y(max(values)):.1f}" for x, values in points]
        band += [f"{self.x(x):.1f},{self.y(min(values)):.1f}" for x, values in reversed(points)]
        colour = COLOURS[index % len(COLOURS)]
        self.parts.append(f'<polygon points="{" ".join(band)}" fill="{colour}" fill-opacity="0.12"/>')
        self.parts.append(f'<polyline points="{middle}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{DASHES[index]}"/>')
        self.labels.append((self.y(statistics.median(points[-1][1])), self.x(points[-1][0]), name, colour))

    def write(self, file):
        below = 0
        for y, x, name, colour in sorted(self.labels):
            place = max(y, below + 14)  # names do not overlap
            below = place
            edge = self.WIDTH - self.RIGHT + 16
            self.parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{edge - 4}" y2="{place:.1f}" stroke="{colour}" stroke-opacity="0.5"/>'
                              f'<text x="{edge}" y="{place + 4:.1f}" fill="{colour}">{name}</text>')
        file.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" font-family="sans-serif" font-size="12">'
                        f'<title>{self.title}</title><rect width="{self.WIDTH}" height="{self.HEIGHT}" fill="#ffffff"/>{"".join(self.parts)}</svg>\n')


def by_samples(runs, column):
    points = []
    for place in range(min(len(run["rounds"]) for run in runs)):
        values = [run["rounds"][place][column] for run in runs]
        if None not in values:
            points.append((runs[0]["rounds"][place][0], values))
    return points


def draw_distances(results, kind, title, most):
    lines = {name: by_samples(runs, 2) for name, runs in results.items() if ALGORITHMS[name][0] == kind}
    highest = max((value for points in lines.values() for _, values in points for value in values), default=1)
    chart = Chart(title, most, highest)
    chart.grid(range(0, most + 1, 4096), [round(highest * part / 4, 3) for part in range(5)])
    for index, name in enumerate(results):
        if lines.get(name):
            chart.line(name, lines[name], index)
    chart.write(MANUAL / f"{kind}.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*", choices=[[], *ALGORITHMS])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    wanted = options.algorithms or list(ALGORITHMS)
    results = {name: [measured(name, seed) for seed in range(1, options.seeds + 1)] for name in wanted}

    most = max(run["rounds"][-1][0] for runs in results.values() for run in runs)
    rewards = Chart("Mean reward of each round", most, 1.0)
    rewards.grid(range(0, most + 1, 4096), [0, 0.25, 0.5, 0.75, 1])
    for index, (name, runs) in enumerate(results.items()):
        rewards.line(name, by_samples(runs, 1), index)
    rewards.write(MANUAL / "rewards.svg")
    for kind, title in ((DIVERGENCE, "KL divergence from the base"), (DISTANCE, "Distance of predictions from the base's")):
        draw_distances(results, kind, title, most)

    with (MANUAL / "rewards.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["experiment", "seed", "samples_until_0.85", "judge/reward", "judge/base_reward", "distance_from_base"])
        for name, runs in results.items():
            for seed, run in enumerate(runs, 1):
                distance = next((value for _, _, value in reversed(run["rounds"]) if value is not None), "")
                table.writerow([f"digits-{name}", seed, samples_until(run["rounds"]) or "", f"{run['judged']:.3f}", f"{run['base']:.4f}",
                                distance and f"{distance:.3g}"])


main()
