"""Makes other cases of every kind in goldens/models, of sizes that little divides: 3 rows a batch, 3 heads, 10 patches, r = 5.

usage: make_odd_goldens.py GOLDENS FOLDER: each case in GOLDENS/models (tests/goldens) gives a case of its name in FOLDER/models.
Configuration and layout are the same but for the sizes below; weights and inputs are drawn from a seed; the numbers that are
expected are those of diffusers, transformers and PEFT.
"""
import json
import math
import pathlib
import shutil
import sys

import diffusers
import torch
import transformers
from diffusers.training_utils import _collate_lora_metadata
from peft import LoraConfig
from peft.utils import get_peft_model_state_dict
from safetensors.torch import save_file
from torch.nn.utils.rnn import pad_sequence
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

BATCH, HEADS, RANK = 3, 3, 5
ROWS, COLUMNS = 2, 5
GOLDENS, FOLDER = (pathlib.Path(argument) / "models" for argument in sys.argv[1:3])
PIPELINES = {"QwenImageTransformer2DModel": diffusers.QwenImagePipeline,
             "SD3Transformer2DModel": diffusers.StableDiffusion3Pipeline}
TEXTS = ["", "three small words", "A large blue sphere sits on top of a small red cube", "It's caf\u00e9 time, isn't it?",
         "12 345 \u65e5\u672c"]


def read(file):
    return json.loads(file.read_text())


def save(tensors, file, **options):
    file.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}, file, **options)


def write(case, **parts):
    """case.json, and a file for each of "inputs", "expected", "intermediates"."""
    folder = FOLDER / case["case"]
    for part, tensors in parts.items():
        assert tensors.keys() == case[part].keys(), tensors.keys() ^ case[part].keys()
        save(tensors, folder / f"{part}.safetensors")
        case[part] = {name: {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape)}
                      for name, tensor in tensors.items()}
    (folder / "case.json").write_text(json.dumps(case, indent=2))


def randomise(model):
    """Numbers that keep values near 1: matrices by their width, norms near 1, everything else near 0."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1:
                weight.normal_(std=0.8 / math.sqrt(weight[0].numel()))
            else:
                weight.normal_(std=0.1).add_(float("norm" in name and name.endswith(("weight", "gamma"))))
    return model.eval()


def probe_for(output):
    return torch.randn(output.shape) * math.sqrt(output.numel())


# Transformers

def with_odd_heads(config):
    sizes = {"num_attention_heads": HEADS}
    if "caption_projection_dim" in config:
        sizes["caption_projection_dim"] = HEADS * config["attention_head_dim"]
    return dict(config) | sizes


def latent_shape(case):
    shape = case["inputs"]["hidden_states"]["shape"]
    if case["class"] == "DiTTransformer2DModel":
        return [BATCH, shape[1], 6, 6]  # it takes squares only: 9 patches
    if len(shape) == 3:
        return [BATCH, ROWS * COLUMNS, shape[2]]
    frames = [1] * (len(shape) - 4)
    return [BATCH, shape[1], *frames, 2 * ROWS, 2 * COLUMNS]


def transformer_inputs(case):
    """All but the probe."""
    shapes = {name: [BATCH, *spec["shape"][1:]] for name, spec in case["inputs"].items() if name != "probe"}
    inputs = {name: torch.randn(shape) for name, shape in shapes.items()}
    tokens = shapes.get("encoder_hidden_states", [0, 0])[1]
    lengths = torch.tensor([tokens, tokens - 2, 1])
    scale = 1 if "img_ids" in shapes or "img_shapes" in shapes else 999
    others = {"hidden_states": torch.randn(latent_shape(case)), "class_labels": torch.tensor([10, 0, 4]),
              "timestep": (torch.rand(BATCH) * scale).to(getattr(torch, case["inputs"]["timestep"]["dtype"])),
              "guidance": torch.tensor([3.5, 1.25, 7.0]), "text_lengths": lengths,
              "encoder_hidden_states_mask": (torch.arange(tokens) < lengths[:, None]).long(),
              "img_shapes": torch.tensor([[1, ROWS, COLUMNS]] * BATCH), "txt_ids": torch.zeros(tokens, 3),
              "img_ids": torch.cartesian_prod(torch.arange(1), torch.arange(ROWS), torch.arange(COLUMNS)).float()}
    return inputs | {name: value for name, value in others.items() if name in shapes}


def call(model, inputs, **changes):
    arguments = {name: value for name, value in (inputs | changes).items() if name not in ("probe", "text_lengths")}
    if "img_shapes" in arguments:
        arguments["img_shapes"] = [[tuple(shape)] for shape in arguments["img_shapes"].tolist()]
    return model(**arguments, return_dict=False)[0]


def differentiated(model, inputs, names):
    """Adds a probe to the inputs, and gradients to parameters. @return output, loss and the gradients of these inputs"""
    for name in names:
        inputs[name].requires_grad_()
    output = call(model, inputs)
    inputs["probe"] = probe_for(output)
    loss = (output * inputs["probe"]).mean().view(1)
    loss.backward()
    return {"output": output, "loss": loss} | {f"grad_input.{name}": inputs[name].grad for name in names}


def observe(model, names, seen):
    """Leaves outputs of modules in @p seen: "a.b" of a module, "a.b.1" of one that gives several."""
    modules = dict(model.named_modules())

    def hook(name, index=None):
        def see(module, given, output):
            seen[name] = (output if index is None else output[index]).detach()
        return see

    for name in names:
        path, _, last = name.rpartition(".")
        if name in modules:
            modules[name].register_forward_hook(hook(name))
        else:
            modules[path].register_forward_hook(hook(name, int(last)))


def make_transformer(case):
    source, folder = GOLDENS / case["case"] / "model", FOLDER / case["case"] / "model"
    model = randomise(getattr(diffusers, case["class"]).from_config(with_odd_heads(read(source / "config.json"))))
    model.to(getattr(torch, case["weights_dtype"]))
    model.save_pretrained(folder, max_shard_size="200KB" if list(source.glob("*.index.json")) else "1GB")
    model.float()
    inputs, seen = transformer_inputs(case), {}
    observe(model, case["intermediates"], seen)
    expected = differentiated(model, inputs, case["differentiated_inputs"])
    intermediates = dict(seen)
    expected |= {f"grad.{name}": model.get_parameter(name).grad for name in case["differentiated_parameters"]}
    if "output_without_mask" in case["expected"]:
        expected["output_without_mask"] = call(model, inputs, encoder_hidden_states_mask=None)
    write(case, inputs=inputs, expected=expected, intermediates=intermediates)


# Adapters and training

def base_of(case):
    folder = (FOLDER / case["case"] / case["model"]).resolve()
    return getattr(diffusers, case["class"]).from_pretrained(folder, torch_dtype=torch.float32).eval()


def add_adapter(model, config):
    """Of random numbers, which alone train. @return its matrices"""
    model.add_adapter(config)
    for name, weight in model.named_parameters():
        weight.requires_grad_("lora_" in name)
        if "lora_" in name:
            torch.nn.init.normal_(weight, std=0.4 / math.sqrt(weight.shape[1]))
    return get_peft_model_state_dict(model)


def trained_in(model):
    return {name.replace(".default", ""): weight for name, weight in model.named_parameters() if weight.requires_grad}


def write_adapter(model, config, matrices, folder):
    peft = {f"base_model.model.{name}": matrix for name, matrix in matrices.items()}
    save(peft, folder / "peft" / "adapter_model.safetensors", metadata={"format": "pt"})
    config.save_pretrained(folder / "peft")
    model.save_lora_adapter(folder / "diffusers_model")
    PIPELINES[type(model).__name__].save_lora_weights(
        folder / "diffusers_pipeline", transformer_lora_layers=matrices, **_collate_lora_metadata({"transformer": model}))


def make_adapter(case):
    adapter, model, folder = case["adapter"], base_of(case), FOLDER / case["case"]
    matched = adapter["matched_modules"]
    targets = matched if adapter["target_modules"] == "all-linear" else adapter["target_modules"]
    adapter["r"] = RANK
    adapter["scaling"] = adapter["lora_alpha"] / (math.sqrt(RANK) if adapter["use_rslora"] else RANK)
    config = LoraConfig(r=RANK, lora_alpha=adapter["lora_alpha"], use_rslora=adapter["use_rslora"], target_modules=targets)
    matrices = add_adapter(model, config)
    assert sorted({name.rsplit(".lora_", 1)[0] for name in matrices}) == matched
    write_adapter(model, config, matrices, folder)
    inputs = transformer_inputs(case)
    expected = differentiated(model, inputs, ["hidden_states"])
    expected |= {f"grad.{name}": torch.zeros_like(weight) if weight.grad is None else weight.grad
                 for name, weight in trained_in(model).items()}
    with torch.no_grad():
        model.disable_adapters()
        expected["output_disabled"] = call(model, inputs)
        model.enable_adapters()
        model.set_adapters("default", 0.5)
        expected["output_adapter_weight_0.5"] = call(model, inputs)
        model.set_adapters("default", 1.0)
        model.fuse_lora()
        model.unload_lora()
        expected["output_merged"] = call(model, inputs)
    stored = matched[:4] if "a selection" in case["files"]["merged.safetensors"] else matched
    save({f"{module}.weight": model.get_parameter(f"{module}.weight") for module in stored}, folder / "merged.safetensors")
    write(case, inputs=inputs, expected=expected)


def make_training(case):
    model, optimizer = base_of(case), case["optimizer"]
    if case["trained"].startswith("LoRA"):
        targets = case["trained"].split(" on ")[1].split(";")[0]
        matrices = add_adapter(model, LoraConfig(r=RANK, lora_alpha=8, target_modules=targets.split(", ")))
        save(matrices, FOLDER / case["case"] / "lora_init.safetensors")
        case["trained"] = f"LoRA (r {RANK}, alpha 8) on {targets}; start from lora_init.safetensors"
    shapes = {name: [case["steps"], BATCH, *spec["shape"][2:]] for name, spec in case["inputs"].items()}
    shapes["latents"][3:] = shapes["noise"][3:] = [2 * ROWS, 2 * COLUMNS]
    inputs = {name: torch.rand(shape) if name == "sigmas" else torch.randn(shape) for name, shape in shapes.items()}
    trained, losses, norms = trained_in(model), [], []
    adam = torch.optim.AdamW(trained.values(), **{key: optimizer[key] for key in ("lr", "betas", "eps", "weight_decay")})
    for step in range(case["steps"]):
        clean, noise, sigmas, prompt, pooled = (
            inputs[name][step] for name in ("latents", "noise", "sigmas", "encoder_hidden_states", "pooled_projections"))
        s = sigmas.view(-1, 1, 1, 1)
        predicted = model((1 - s) * clean + s * noise, prompt, pooled, 1000 * sigmas, return_dict=False)[0]
        loss = (predicted - (noise - clean)).square().mean()
        loss.backward()
        for weight in trained.values():
            weight.grad = torch.zeros_like(weight) if weight.grad is None else weight.grad
        norms.append(torch.nn.utils.clip_grad_norm_(trained.values(), optimizer["max_grad_norm"]))
        losses.append(loss)
        adam.step()
        adam.zero_grad()
    expected = {"losses": torch.stack(losses), "grad_norms": torch.stack(norms)}
    write(case, inputs=inputs, expected=expected | {f"final.{name}": weight for name, weight in trained.items()})


# Autoencoders and text encoders

def make_autoencoder(case):
    config = read(GOLDENS / case["case"] / "model" / "config.json")
    if "sample_size" in config:
        config["sample_size"] = 48  # of a tile
    model = randomise(getattr(diffusers, case["class"]).from_config(config))
    model.save_pretrained(FOLDER / case["case"] / "model")
    shapes = {name: [BATCH, *case["inputs"][name]["shape"][1:]] for name in ("image", "latent")}
    factor = shapes["image"][-1] // shapes["latent"][-1]
    shapes["latent"][-2:] = [5, 3]
    shapes["image"][-2:] = [5 * factor, 3 * factor]
    inputs = {name: torch.randn(shape, requires_grad=True) for name, shape in shapes.items()}
    posterior = model.encode(inputs["image"]).latent_dist
    expected = {"moments": posterior.parameters, "mean": posterior.mean, "logvar": posterior.logvar, "std": posterior.std,
                "decoded": model.decode(inputs["latent"]).sample}
    for direction, name in (("encode", "moments"), ("decode", "decoded")):
        inputs[f"probe_{direction}"] = probe_for(expected[name])
        loss = expected[f"loss_{direction}"] = (expected[name] * inputs[f"probe_{direction}"]).mean().view(1)
        loss.backward()
    expected |= {f"grad_input.{name}": inputs[name].grad for name in shapes}
    parameters = [name.removeprefix("grad.") for name in case["expected"] if name.startswith("grad.")]
    expected |= {f"grad.{name}": model.get_parameter(name).grad for name in parameters}
    write(case, inputs=inputs, expected=expected)


def with_odd_text(config):
    """For text encoders: 3 heads, and what goes with them."""
    if "text_config" in config:
        config["text_config"] |= {"num_attention_heads": 2 * HEADS, "num_key_value_heads": HEADS, "hidden_size": 48}
        config["vision_config"]["out_hidden_size"] = 48
    elif "d_model" in config:
        config |= {"num_heads": HEADS, "d_model": 28}
    else:
        config |= {"num_attention_heads": HEADS, "hidden_size": 36, "max_position_embeddings": 21}
    return config


def make_text_encoder(case):
    source, folder, tokens = GOLDENS / case["case"], FOLDER / case["case"], 21
    model_class, config = getattr(transformers, case["class"]), with_odd_text(read(source / "model" / "config.json"))
    model = randomise(model_class(model_class.config_class(**config)))
    model.save_pretrained(folder / "model")
    if (source / "legacy_config").exists():
        legacy = read(source / "legacy_config" / "config.json")
        legacy |= {key: value for key, value in config["text_config"].items() if key in legacy and key != "model_type"}
        legacy["vision_config"]["out_hidden_size"] = config["vision_config"]["out_hidden_size"]
        (folder / "legacy_config").mkdir()
        (folder / "legacy_config" / "config.json").write_text(json.dumps(legacy, indent=2))
    lengths = torch.tensor([tokens, 13, 8, 6, 17])
    mask = (torch.arange(tokens) < lengths[:, None]).long()
    inputs = {"input_ids": torch.randint(3, 199, mask.shape)}
    if "attention_mask" in case["inputs"]:
        inputs = {"input_ids": inputs["input_ids"] * mask, "attention_mask": mask}
    else:
        # CLIP-L as published has 2 for the id of its end and takes the largest one.
        end = model.config.eos_token_id
        inputs["input_ids"][range(len(lengths)), lengths - 1] = 299 if end == 2 else end
    with torch.no_grad():
        output = model(**inputs, output_hidden_states=True)
        states = {f"hidden_states.{k}": state for k, state in enumerate(output.hidden_states)}
        if "drop_tokens" in case["inputs"]:
            inputs["drop_tokens"] = torch.tensor([5])
            valid = [row[5:count] for row, count in zip(output.hidden_states[-1], lengths)]
            expected = {"prompt_embeds": pad_sequence(valid, batch_first=True), "prompt_embeds_mask": mask[:, 5:]}
            expected |= {name: state * mask[..., None] for name, state in states.items()}
        elif "text_embeds" in case["expected"]:
            expected = states | {"text_embeds": output.text_embeds, "last_hidden_state": output.last_hidden_state}
            expected["penultimate"] = output.hidden_states[-2]
        else:
            expected = states | {"last_hidden_state": output.last_hidden_state}
            expected["last_hidden_state_without_mask"] = model(inputs["input_ids"]).last_hidden_state
    write(case, inputs=inputs, expected=expected)


# CLIP with both towers: a model's folder with its tokenizer, images of several sizes and a prompt for each. Weights in bfloat16 and several files.

def with_odd_towers(config):
    """Activations and the way to find a text's end change places with those of the case."""
    text, vision = (dict(config[f"{tower}_config"]) for tower in ("text", "vision"))
    text["hidden_act"], vision["hidden_act"] = vision["hidden_act"], text["hidden_act"]
    text |= {"hidden_size": 8 * HEADS, "num_attention_heads": 2 * HEADS, "eos_token_id": 2, "max_position_embeddings": 21}
    vision |= {"hidden_size": 10 * HEADS, "num_attention_heads": HEADS, "image_size": 31, "patch_size": 7}
    return {"text_config": text, "vision_config": vision, "projection_dim": 17}


def make_clip(case):
    source, folder = GOLDENS / case["case"] / "model", FOLDER / case["case"] / "model"
    model = randomise(transformers.CLIPModel(transformers.CLIPConfig(**with_odd_towers(read(source / "config.json")))))
    with torch.no_grad():
        model.logit_scale.fill_(3.7)
        model.vision_model.embeddings.class_embedding.normal_()
    model.to(torch.bfloat16).save_pretrained(folder, max_shard_size="40KB")
    model.float()
    tokenizer = transformers.CLIPTokenizer.from_pretrained(source)
    tokenizer.save_pretrained(folder)
    side = model.config.vision_config.image_size
    processor = CLIPImageProcessorPil(size={"shortest_edge": side + 3}, crop_size={"height": side, "width": side})
    processor.save_pretrained(folder)
    case["prompts"] = TEXTS
    sizes = [(side + 3, side + 3), (64, 64), (23, 40), (57, 38), (52, 39)]
    inputs = {f"image.{i}": torch.nn.functional.interpolate(torch.rand(1, 3, 6, 6), size, mode="bicubic")[0]
              .add(0.1 * torch.randn(3, *size)).mul(255).clamp(0, 255).byte() for i, size in enumerate(sizes)}
    pixels = torch.cat([processor(image, return_tensors="pt").pixel_values for image in inputs.values()])
    limit = model.config.text_config.max_position_embeddings
    tokens = tokenizer(TEXTS, padding=True, truncation=True, max_length=limit, return_tensors="pt")
    with torch.no_grad():
        images = model.vision_model(pixels, output_hidden_states=True)
        output = model(**tokens, pixel_values=pixels)
    expected = {f"hidden_states.{k}": state for k, state in enumerate(images.hidden_states)}
    expected |= {"pixel_values": pixels, "pooled": images.pooler_output, "image_embeds": output.image_embeds,
                 "text_embeds": output.text_embeds, "scores": output.logits_per_image.diagonal()}
    write(case, inputs=inputs, expected=expected)


# Tokenizers and pipelines: vocabularies are those of GOLDENS, texts are others.

def make_tokenizer(case):
    folder = FOLDER / case["case"]
    shutil.copytree(GOLDENS / case["case"], folder)
    table = read(folder / case["table"])
    tokenizer = getattr(transformers, case["class"]).from_pretrained(folder / case["tokenizer"])

    def encoded(text, padding, length):
        result = tokenizer(text, padding=padding, max_length=length, truncation=True)
        return {"max_length": length, "ids": result.input_ids, "attention_mask": result.attention_mask}

    table["plain"] = [{"text": text, "ids": tokenizer(text).input_ids} for text in TEXTS]
    alone = [tokenizer(text, add_special_tokens=False).input_ids for text in TEXTS]
    table["no_special_tokens"] = [{"text": text, "ids": ids} for text, ids in zip(TEXTS, alone)]
    table["padded_truncated"] = [{"text": text} | encoded(text, "max_length", length) for text in TEXTS for length in (9, 31)]
    table["batch_longest"] = {"texts": TEXTS} | encoded(TEXTS, "longest", 31)
    ids = [row["ids"] for row in table["plain"]]
    table["decode"] = [{"ids": row, "text": tokenizer.decode(row, skip_special_tokens=True)} for row in ids]
    (folder / case["table"]).write_text(json.dumps(table))
    case["strings"] = len(TEXTS)
    write(case)


def make_pipeline(case):
    source, folder = GOLDENS / case["case"] / "pipeline", FOLDER / case["case"] / "pipeline"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("transformer"))
    pipeline = getattr(diffusers, case["class"]).from_pretrained(source, torch_dtype=torch.float32)
    pipeline.set_progress_bar_config(disable=True)
    pipeline.transformer = randomise(type(pipeline.transformer).from_config(with_odd_heads(pipeline.transformer.config)))
    pipeline.transformer.save_pretrained(folder / "transformer")

    patch, shape = 2 * pipeline.vae_scale_factor, case["inputs"]["latents"]["shape"]
    case |= {"prompts": TEXTS[1:4], "negative_prompts": ["", TEXTS[4], "blurry"], "num_inference_steps": 3,
             "height": patch * ROWS, "width": patch * COLUMNS}
    is_packed, steps = len(shape) == 3, []
    latents = torch.randn([BATCH, ROWS * COLUMNS, shape[2]] if is_packed else [BATCH, shape[1], 2 * ROWS, 2 * COLUMNS])

    def keep(pipe, step, time, values):
        steps.append(values["latents"])
        return {}

    names = ("height", "width", "num_inference_steps", "guidance_scale", "true_cfg_scale", "max_sequence_length")
    options = {name: case[name] for name in names if name in case}
    image = pipeline(prompt=case["prompts"], negative_prompt=case["negative_prompts"], latents=latents, output_type="pt",
                     return_dict=False, callback_on_step_end=keep, **options)[0]
    expected = {"timesteps": pipeline.scheduler.timesteps, "sigmas": pipeline.scheduler.sigmas,
                "step_latents": torch.stack(steps), "final_latents": steps[-1], "image": image}
    with torch.no_grad():
        make = (qwen_prompts, qwen_decoded) if is_packed else (sd3_prompts, sd3_decoded)
        expected |= make[0](pipeline, case) | make[1](pipeline, case, steps[-1])
    write(case, inputs={"latents": latents}, expected=expected)


def sd3_prompts(pipeline, case):
    length = case["max_sequence_length"]
    names = ("prompt_embeds", "negative_prompt_embeds", "pooled_prompt_embeds", "negative_pooled_prompt_embeds")
    made = dict(zip(names, pipeline.encode_prompt(case["prompts"], None, None, negative_prompt=case["negative_prompts"],
                                                  max_sequence_length=length)))
    for kind, texts in (("prompt", case["prompts"]), ("negative", case["negative_prompts"])):
        for name, longest in (("tokenizer", 77), ("tokenizer_2", 77), ("tokenizer_3", length)):
            tokens = getattr(pipeline, name)(texts, padding="max_length", max_length=longest, truncation=True)
            made[f"{name}.{kind}_ids"] = torch.tensor(tokens.input_ids)
    return made


def sd3_decoded(pipeline, case, latents):
    config = pipeline.vae.config
    return {"decoded": pipeline.vae.decode(latents / config.scaling_factor + config.shift_factor, return_dict=False)[0]}


def qwen_prompts(pipeline, case):
    made = {}
    for prefix, kind, texts in (("", "prompt", case["prompts"]), ("negative_", "negative", case["negative_prompts"])):
        tokens = pipeline.tokenizer([case["prompt_template"].format(text) for text in texts], padding=True, return_tensors="pt")
        made |= {f"tokenizer.{kind}_ids": tokens.input_ids, f"tokenizer.{kind}_mask": tokens.attention_mask}
        embeds, mask = pipeline.encode_prompt(texts)
        made[prefix + "prompt_embeds"] = embeds
        made[prefix + "prompt_embeds_mask"] = (torch.ones(embeds.shape[:2]) if mask is None else mask).long()
    return made


def qwen_decoded(pipeline, case, latents):
    config = pipeline.vae.config
    unpacked = pipeline._unpack_latents(latents, case["height"], case["width"], pipeline.vae_scale_factor)
    mean, deviation = (torch.tensor(values).view(1, -1, 1, 1, 1) for values in (config.latents_mean, config.latents_std))
    return {"unpacked_latents": unpacked, "decoded": pipeline.vae.decode(unpacked * deviation + mean, return_dict=False)[0]}


def maker_of(case):
    for key, make in (("adapter", make_adapter), ("steps", make_training), ("pipeline", make_pipeline),
                      ("prompts", make_clip), ("tokenizer", make_tokenizer), ("intermediates", make_transformer), ("loss_encode", make_autoencoder)):
        if key in case:
            return make
    return make_text_encoder


def main():
    for library in (diffusers, transformers):
        library.utils.logging.set_verbosity_error()
        library.utils.logging.disable_progress_bar()
    cases = [read(file) for file in sorted(GOLDENS.glob("*/case.json"))]
    cases.sort(key=lambda case: case.get("model", "").startswith(".."))  # models before what takes them
    for seed, case in enumerate(cases):
        torch.manual_seed(seed)
        maker_of(case)(case)


main()
