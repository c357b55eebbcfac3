"""Lets diffusers and PEFT load what Atelier exported, and compares what they compute with what they compute from the golden
case's own files: bit by bit, but for merged weights, layers that a file has fused, and scales that it has rounded.

usage: load_exports.py JOBS.json: a list of {"kind", "class", "folder", "base", "case", "reference"}. One line for each; exit code 1 when
one of them differs.
"""
import copy
import json
import pathlib
import sys

import diffusers
import peft
import torch
from safetensors.torch import load_file

PIPELINES = {
    "FluxTransformer2DModel": diffusers.FluxPipeline,
    "SD3Transformer2DModel": diffusers.StableDiffusion3Pipeline,
    "QwenImageTransformer2DModel": diffusers.QwenImagePipeline,
    "WanTransformer3DModel": diffusers.WanPipeline,
}


def arguments(case):
    inputs = load_file(case / "inputs.safetensors")
    for name in ("probe", "text_lengths"):
        inputs.pop(name, None)
    if "img_shapes" in inputs:
        inputs["img_shapes"] = [[tuple(shape)] for shape in inputs["img_shapes"].tolist()]
    return inputs


def model_of(job):
    """The transformer of a job, with the adapter where it has one."""
    model_class = getattr(diffusers, job["class"])
    whole = job["kind"] in ("full", "merged")
    model, report = model_class.from_pretrained(
        job["folder"] if whole else job["base"], torch_dtype=torch.float32, output_loading_info=True)
    if any(report[what] for what in ("missing_keys", "unexpected_keys", "mismatched_keys")):
        raise RuntimeError(f"does not fit the class: {report}")
    folder = pathlib.Path(job["folder"])
    weights = folder / "pytorch_lora_weights.safetensors"
    if job["kind"] == "peft":
        return peft.PeftModel.from_pretrained(model, folder)
    if job["kind"] == "diffusers_model":
        model.load_lora_adapter(folder, prefix=None, weight_name=weights.name)
    elif job["kind"] == "second":  # of Wan 2.2's two
        pipeline = PIPELINES[job["class"]](tokenizer=None, text_encoder=None, vae=None, scheduler=None,
                                           transformer=copy.deepcopy(model), transformer_2=model, boundary_ratio=0.9)
        pipeline.load_lora_weights(folder, weight_name=weights.name, load_into_transformer_2=True)
    elif not whole:
        pipeline = PIPELINES[job["class"]]
        state, *_, metadata = pipeline.lora_state_dict(folder, weight_name=weights.name, return_lora_metadata=True)
        alphas = {"network_alphas": None} if pipeline is diffusers.FluxPipeline else {}  # folded into the matrices by now
        pipeline.load_lora_into_transformer(state, transformer=model, metadata=metadata, **alphas)
    return model


def reference_of(job):
    """What the case's own files give: the model, and the adapter as PEFT wrote it or has to read it."""
    model = getattr(diffusers, job["class"]).from_pretrained(job["base"], torch_dtype=torch.float32)
    return model if job["kind"] == "full" else peft.PeftModel.from_pretrained(model, job["reference"])


def problem(job):
    inputs = arguments(pathlib.Path(job["case"]))
    with torch.no_grad():
        actual, expected = (model.eval()(**inputs, return_dict=False)[0] for model in (model_of(job), reference_of(job)))
    if job["kind"] not in ("merged", "fused", "kohya"):  # diffusers multiplies the last one's scale into the matrices
        return "" if torch.equal(actual, expected) else f"is off by {(actual - expected).abs().max().item()}"
    excess = ((actual - expected).abs() - 1e-4 * expected.abs() - 1e-5).max().item()  # the goldens' own tolerances
    return "" if excess <= 0 else f"is off by {excess} more than allowed"


def main():
    failed = False
    for job in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        try:
            told = problem(job)
        except Exception as error:  # whatever a library says to a file that it does not like
            told = f"{type(error).__name__}: {error}"
        failed |= bool(told)
        print(job["kind"], pathlib.Path(job["case"]).name, told or "is the same")
    return int(failed)


sys.exit(main())
