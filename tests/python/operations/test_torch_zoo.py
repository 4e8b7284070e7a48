"""Whole families of models, without weights: everything counted, or listed by name.

Where the publisher says how much a model computes, the count is that.
"""

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
torchvision = pytest.importorskip("torchvision")
transformers = pytest.importorskip("transformers")

from torchvision import models as vision

MODULES = {
    "classification": vision,
    "segmentation": vision.segmentation,
    "video": vision.video,
    "detection": vision.detection,
}
#: Which boxes a suppression compares depends on which remain; all else of a detector is counted.
LISTED = {"torchvision::nms"}
#: What depends on data, and is said: how many rows a mixture of experts sends to each.
SAID = "where its groups end is data"


def published(name):
    """The weights of a model that say what they were trained at, and what they cost."""
    return next(iter(vision.get_model_weights(name)))


def size(name, kind):
    """The input that the published cost is for."""
    if kind == "video":
        clip = 224 if any(part in name for part in ("mvit", "s3d", "swin3d")) else 112
        return (1, 3, 16, clip, clip)
    if kind == "segmentation":
        return (1, 3, 520, 520)
    (crop,) = published(name).transforms().crop_size
    return (1, 3, crop, crop)


def built(name, kind):
    options = {"weights": None}
    if kind == "segmentation":
        options["weights_backbone"] = None
        if "lraspp" not in name:
            options["aux_loss"] = True
    if name == "vit_h_14":
        options["image_size"] = 518
    if name == "googlenet":
        options["aux_logits"] = False
    with lt.no_weights():
        return vision.get_model(name, **options).eval()


CONVOLUTIONAL = [
    (name, kind)
    for kind in ("classification", "segmentation", "video")
    for name in vision.list_models(MODULES[kind])
]


def smallest(models):
    """Of each family, which is a file of torchvision's, the model with the fewest parameters."""
    chosen = {}
    for name, kind in models:
        family = vision.get_model_builder(name).__module__
        params = published(name).meta["num_params"]
        chosen[family] = min(chosen.get(family, (params, name, kind)), (params, name, kind))
    return [(name, kind) for _, name, kind in chosen.values()]


def pytest_generate_tests(metafunc):
    """All models with `--all`; else the smallest of each family, and what isn't like another."""
    everything = metafunc.config.getoption("--all")
    detectors = [(name, "detection") for name in vision.list_models(vision.detection)]
    if "kind" in metafunc.fixturenames:
        chosen = CONVOLUTIONAL if everything else smallest(CONVOLUTIONAL)
        metafunc.parametrize(("name", "kind"), chosen)
    elif "detector" in metafunc.fixturenames:
        chosen = detectors if everything else smallest(detectors)
        metafunc.parametrize("detector", [name for name, _ in chosen])
    elif "architecture" in metafunc.fixturenames:
        chosen = [it for it in ARCHITECTURES if everything or it not in ALIKE]
        metafunc.parametrize("architecture", chosen)


def test_a_torchvision_model_costs_what_its_publisher_says(name, kind):
    counts = lt.count(built(name, kind), torch.empty(size(name, kind)), mode="fake")
    said = published(name).meta
    assert counts.coverage_ratio == 1.0
    assert counts.params == said["num_params"]
    # Published as "GFLOPS", in billions of multiply-accumulates, to three digits.
    assert counts.mac / 1e9 == pytest.approx(said["_ops"], abs=0.00051)


def test_a_torchvision_detector_is_counted_on_real_tensors_but_for_what_is_listed(detector):
    options = {"weights": None, "weights_backbone": None}
    if "rcnn" in detector:
        options |= {"rpn_post_nms_top_n_test": 10, "box_detections_per_img": 2}
    else:
        options |= {"topk_candidates": 5, "detections_per_img": 2}
    if "ssd" not in detector:
        options |= {"min_size": 64, "max_size": 96}
    model = vision.get_model(detector, **options).eval()
    counts = lt.count(model, [torch.rand(3, 64, 96)])
    assert counts.mac > 1e6
    assert {row.name for row in counts.uncounted} <= LISTED
    assert counts.coverage_ratio == 1.0 or counts.uncounted
    assert ["real tensors" in warning for warning in counts.warnings] == [True]


TEXT = [
    "albert",
    "bart",
    "bert",
    "bloom",
    "deberta-v2",
    "distilbert",
    "electra",
    "falcon",
    "fnet",
    "gemma",
    "gemma2",
    "gpt2",
    "gpt_neo",
    "gpt_neox",
    "gptj",
    "granite",
    "llama",
    "mbart",
    "mistral",
    "mixtral",
    "modernbert",
    "mpt",
    "olmo2",
    "opt",
    "pegasus",
    "phi",
    "phi3",
    "qwen2",
    "qwen2_moe",
    "qwen3",
    "roberta",
    "t5",
    "xlm-roberta",
    "xlnet",
]
IMAGES = [
    "beit",
    "convnextv2",
    "deit",
    "dinov2",
    "levit",
    "mobilevit",
    "resnet",
    "segformer",
    "swinv2",
    "vit",
    "yolos",
]
SOUND = ["hubert", "wav2vec2", "wavlm", "whisper"]
PAIRS = ["clip", "siglip"]
ARCHITECTURES = [*TEXT, *IMAGES, *SOUND, *PAIRS]
#: Their layers are those of another one here, but for sizes and names.
ALIKE = {"deit", "distilbert", "electra", "gemma", "gptj", "granite", "hubert", "mbart", "mistral"}
ALIKE |= {"olmo2", "pegasus", "phi", "phi3", "qwen2", "qwen2_moe", "qwen3", "roberta", "siglip"}
ALIKE |= {"xlm-roberta"}


def inputs(name, config):
    ids = torch.ones(1, 64, dtype=torch.long)
    sides = getattr(config, "image_size", 224)
    sides = (sides, sides) if isinstance(sides, int) else tuple(sides)
    if name in TEXT:
        more = {"decoder_input_ids": ids[:, :16]} if config.is_encoder_decoder else {}
        return {"input_ids": ids, **more}
    if name in PAIRS:
        side = config.vision_config.image_size
        return {"input_ids": ids, "pixel_values": torch.empty(1, 3, side, side)}
    if name == "whisper":
        features = torch.empty(1, config.num_mel_bins, 3000)
        return {"input_features": features, "decoder_input_ids": ids[:, :16]}
    if name in SOUND:
        return {"input_values": torch.empty(1, 16000)}
    return {"pixel_values": torch.empty(1, 3, *sides)}


def test_a_transformers_architecture_is_counted_forward_and_backward(architecture):
    config = transformers.AutoConfig.for_model(architecture)
    layers = getattr(config, "num_hidden_layers", None)
    if isinstance(layers, int) and architecture not in PAIRS:
        config.num_hidden_layers = min(layers, 4)
    with lt.no_weights():
        model = transformers.AutoModel.from_config(config).eval()
    kwargs = inputs(architecture, config)
    forward = lt.count(model, kwargs=kwargs, mode="fake")
    both = lt.count(model, kwargs=kwargs, mode="fake", backward=True)
    for counts in (forward, both):
        assert counts.uncounted == []
        assert counts.coverage_ratio == 1.0
        assert all(SAID in warning for warning in counts.warnings)
    assert forward.params == sum(it.numel() for it in model.parameters())
    # The gradients of weights and of what goes in; not those of an input itself.
    assert 2.8 * forward.mac <= both.mac <= 3 * forward.mac
    assert both.by_phase["forward"].mac == forward.mac
    experts = forward.by_op.get("aten::_grouped_mm")
    missed = experts.mac if experts is not None else 0
    assert forward.mac - missed == torchs_own(model, kwargs) // 2


def torchs_own(model, kwargs):
    """What PyTorch's own counter says of the forward, which it has right but for experts."""
    from torch.utils.flop_counter import FlopCounterMode

    fake_mode = next(model.parameters()).fake_mode
    with fake_mode, FlopCounterMode(display=False) as counter:
        model(**{name: fake_mode.from_tensor(value) for name, value in kwargs.items()})
    return counter.get_total_flops()


def test_there_are_as_many_families_as_promised():
    assert len({*ARCHITECTURES} - ALIKE) >= 25
    assert {*ARCHITECTURES} > ALIKE
    assert len(CONVOLUTIONAL) >= 90
