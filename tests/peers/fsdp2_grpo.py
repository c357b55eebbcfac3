"""Peer of the algorithms' benchmark: rounds of Flow-GRPO, written plainly with PyTorch FSDP2, on the model of fsdp2_dit.py.

Start one process per rank with torchrun's environment. Noise and prompts come from a file, so that another program can draw the
same samples. Rank 0 prints one line of JSON.
"""
import argparse, json, math, os, statistics, time

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

from fsdp2_dit import PRESETS, DiT


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--size", choices=PRESETS, default="tiny")
    p.add_argument("--dtype", choices=("fp32", "bf16"), default="bf16")
    p.add_argument("--rounds", type=int, default=4)
    p.add_argument("--prompts", type=int, default=8)
    p.add_argument("--samples", type=int, default=8)
    p.add_argument("--micro", type=int, default=16)
    p.add_argument("--steps", type=int, default=10)
    p.add_argument("--updates", type=int, default=2)
    p.add_argument("--eta", type=float, default=0.7)
    p.add_argument("--clip", type=float, default=1e-3)
    p.add_argument("--lr", type=float, default=1e-5)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--draws", required=True, help="float32: for each round the rows' first noise, then that of each stochastic step")
    p.add_argument("--labels", required=True, help="JSON: the prompts of each round")
    p.add_argument("--no-reshard", action="store_true", help="keep parameters gathered between forward and backward")
    p.add_argument("--reduce-once", action="store_true", help="reduce gradients in the last pass of an update only")
    p.add_argument("--math-attention", action="store_true", help="the unfused attention kernel")
    p.add_argument("--fold", type=int, default=1, help="timesteps that one pass of the update takes together")
    p.add_argument("--compile", action="store_true")
    a = p.parse_args()
    torch.set_num_threads(1)
    if a.math_attention:
        torch.backends.cuda.enable_flash_sdp(False)
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (world,))
    image, channels, patch, width, depth, heads, classes, _ = PRESETS[a.size]
    torch.manual_seed(a.seed)
    model = DiT(image, channels, patch, width, depth, heads, classes)
    torch.manual_seed(a.seed)
    model.init()
    if a.compile:
        for block in model.blocks:
            block.compile()
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32) if a.dtype == "bf16" else MixedPrecisionPolicy()
    for block in model.blocks:
        fully_shard(block, mesh=mesh, mp_policy=policy, reshard_after_forward=not a.no_reshard)
    fully_shard(model, mesh=mesh, mp_policy=policy, reshard_after_forward=not a.no_reshard)
    params = list(model.parameters())
    biases = [q for name, q in model.named_parameters() if name.endswith("bias")]
    others = [q for name, q in model.named_parameters() if not name.endswith("bias")]
    opt = torch.optim.AdamW([{"params": others}, {"params": biases, "weight_decay": 0.0}], lr=a.lr, weight_decay=0.01,
                            betas=(0.9, 0.999), eps=1e-8, fused=True)

    shape = (channels, image, image)
    rows = a.prompts * a.samples
    draws = torch.from_file(a.draws, size=a.rounds * a.steps * rows * math.prod(shape), dtype=torch.float32)
    draws = draws.view(a.rounds, a.steps, rows, *shape)
    labels = torch.tensor(json.loads(a.labels))
    sigmas = torch.linspace(1.0, 1.0 / a.steps, a.steps).tolist() + [0.0]
    micros = rows // (world * a.micro)
    trained = a.steps - 1

    def transition(x, v, step):
        """Mean and deviation of the latents after a step of Flow-GRPO's SDE."""
        s, dt = sigmas[step], sigmas[step + 1] - sigmas[step]
        std = math.sqrt(s / (1 - (sigmas[1] if s == 1 else s))) * a.eta
        mean = x * (1 + std * std / (2 * s) * dt) + v * (1 + std * std * (1 - s) / (2 * s)) * dt
        return mean, std * math.sqrt(-dt)

    def log_prob(mean, g, after):
        return (-((after - mean) ** 2) / (2 * g * g) - math.log(g) - 0.5 * math.log(2 * math.pi)).flatten(1).mean(1)

    def predict(x, step, y):
        return model(x, torch.full((x.shape[0],), sigmas[step]), y).float()

    def reward(x):
        ink = ((x.clamp(-1, 1) + 1) / 2).flatten(1).mean(1)
        return torch.exp(-(((ink - 0.4) / 0.3) ** 2))

    def rollout(round_index):
        data = []
        with torch.no_grad():
            for micro in range(micros):
                first = (micro * world + rank) * a.micro
                own = slice(first, first + a.micro)
                y = labels[round_index].repeat_interleave(a.samples)[own]
                x = draws[round_index, 0, own].clone()
                latents, probabilities = [x], []
                for step in range(a.steps):
                    v = predict(x, step, y)
                    if step < trained:
                        mean, g = transition(x, v, step)
                        x = mean + g * draws[round_index, step + 1, own]
                        probabilities.append(log_prob(mean, g, x))
                        latents.append(x)
                    else:
                        x = x + v * (sigmas[step + 1] - sigmas[step])
                data.append({"first": first, "y": y, "x": latents, "old": probabilities, "clean": x})
        return data

    def advantages(data):
        scores = torch.zeros(rows)
        for each in data:
            scores[each["first"]:each["first"] + a.micro] = reward(each["clean"])
        dist.all_reduce(scores)
        grouped = scores.view(a.prompts, a.samples)
        columns = scores.unsqueeze(1).expand(rows, trained)
        result = ((grouped - grouped.mean(1, keepdim=True)) / (columns.std() + 1e-4)).flatten()
        for each in data:
            each["advantages"] = result[each["first"]:each["first"] + a.micro]
        return scores.mean().item()

    def update(part):
        passes = [(each, step) for each in part for step in range(0, trained, a.fold)]
        for i, (each, step) in enumerate(passes):
            count = min(a.fold, trained - step)
            if a.reduce_once:
                model.set_requires_gradient_sync(i + 1 == len(passes))
            if count == 1:
                v = predict(each["x"][step], step, each["y"]).unsqueeze(0)
            else:
                x = torch.cat(each["x"][step:step + count])
                t = torch.tensor(sigmas[step:step + count]).repeat_interleave(a.micro)
                v = model(x, t, each["y"].repeat(count)).float().view(count, a.micro, *shape)
            loss = 0.0
            for k in range(count):
                mean, g = transition(each["x"][step + k], v[k], step + k)
                ratio = torch.exp(log_prob(mean, g, each["x"][step + k + 1]) - each["old"][step + k])
                adv = each["advantages"].clamp(-5, 5)
                loss = loss + torch.maximum(-adv * ratio, -adv * ratio.clamp(1 - a.clip, 1 + a.clip)).mean()
            (loss / (len(part) * trained)).backward()
        norm = torch.nn.utils.clip_grad_norm_(params, 1.0).full_tensor().item()
        opt.step()
        opt.zero_grad()
        return norm

    times, parts, rewards, norms = [], [], [], []
    for index in range(a.rounds):
        t0 = time.perf_counter()
        data = rollout(index)
        t1 = time.perf_counter()
        rewards.append(advantages(data))
        t2 = time.perf_counter()
        size = micros // a.updates
        for i in range(a.updates):
            norms.append(update(data[i * size:(i + 1) * size]))
        t3 = time.perf_counter()
        times.append(t3 - t0)
        parts.append((t1 - t0, t2 - t1, t3 - t2))
    if rank == 0:
        measured = slice(1, None)
        middle = [statistics.median(part[i] for part in parts[measured]) * 1e3 for i in range(3)]
        print(json.dumps({"round_ms": statistics.median(times[measured]) * 1e3, "rollout_ms": middle[0], "reward_ms": middle[1],
                          "update_ms": middle[2], "rewards": rewards, "norms": norms}))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
