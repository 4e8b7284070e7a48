"""Models without weights that are copied, converted, saved and shared: nothing touches memory."""

import copy
import io
import os
import pickle
import subprocess

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
nn = torch.nn

X = (2, 3, 16, 16)
#: 2 images, 14 by 14 places, 8 channels out of 3 by 3 by 3 values, 2 FLOP for each.
FLOP = 2 * (2 * 14 * 14 * 8) * (3 * 3 * 3)
PARAMS = 8 * 27 + 8 + 8 + 8
#: What the convolution's call moves: its input, its weights and biases, its output.
NUMBERS = 2 * 3 * 16 * 16 + 8 * 27 + 8 + 2 * 8 * 14 * 14


def net():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))


def weightless():
    with lt.no_weights():
        return net()


BEGIN = """
import copy, gc, torch
import laptime as lt
from torch import nn
def net():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
"""
#: Each wrote to memory that was not its own, or read at address 0.
PROGRAMS = {
    "copies_inside": """
with lt.no_weights():
    model = net()
    copies = [copy.deepcopy(model) for _ in range(20)]
copies[0].load_state_dict(model.state_dict())
print(lt.count(copies[-1], torch.zeros(2, 3, 16, 16)).flop)
""",
    "copies_afterwards": """
with lt.no_weights():
    model = nn.Sequential(*(nn.BatchNorm2d(8) for _ in range(50)))
copies = [copy.deepcopy(model) for _ in range(20)]
print(lt.count(copies[-1], torch.zeros(2, 8, 4, 4)).flop)
del copies, model
""",
    "averages": """
with lt.no_weights():
    model = net()
    teacher = torch.optim.swa_utils.AveragedModel(model, use_buffers=True)
for _ in range(20):
    teacher = copy.deepcopy(teacher)
    teacher.update_parameters(model)
print(lt.count(teacher, torch.zeros(2, 3, 16, 16)).flop)
""",
    "a_counted_function_that_copies": """
model = net()
def step(x):
    return [copy.deepcopy(model) for _ in range(20)][-1](x)
for _ in range(3):
    print(lt.count(step, torch.zeros(2, 3, 16, 16)).flop)
""",
    "addresses": """
with lt.no_weights():
    made = torch.randn(1000)
for give in (torch.to_dlpack, torch.utils.dlpack.to_dlpack, lambda it: it):
    try:
        print(torch.from_dlpack(give(made)).sum())
    except lt.LaptimeError as error:
        print(error)
""",
}
SAID = {
    "copies_afterwards": "0\n",
    "a_counted_function_that_copies": f"{FLOP}\n" * 3,
    "addresses": "a tensor (1000 float32) of a model without weights has no memory: there is "
    "nothing to hand over by DLPack. Build the model outside lt.no_weights() for that\n" * 3,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_copies_of_what_has_no_memory_corrupt_none(warm, name):
    source = BEGIN + PROGRAMS[name] + "gc.collect()\n"
    done = subprocess.run([warm.python, "-c", source], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, SAID.get(name, f"{FLOP}\n")), done.stderr


def test_a_deep_copy_is_the_same_model_with_tensors_of_its_own():
    with lt.no_weights():
        model = nn.Linear(4, 4)
        model.register_buffer("places", torch.arange(2401))
        model.tied = model.weight
        model.weight.tag = "kept"
        inside = copy.deepcopy(model)
    for made in (inside, copy.deepcopy(model)):
        assert isinstance(made.weight, nn.Parameter)
        assert made.weight.requires_grad
        assert made.weight.tag == "kept"
        assert made.tied is made.weight
        assert made.weight is not model.weight
        assert made.places[2000].item() == 2000
        assert made.weight.fake_mode is model.weight.fake_mode
        assert lt.count(made, torch.zeros(3, 4)).flop == 2 * 3 * 4 * 4


def test_values_that_are_written_to_are_forgotten_in_the_copy_alone():
    with lt.no_weights():
        first = torch.arange(10)
        second = copy.deepcopy(first)
        third = copy.copy(second)
        second.view(2, 5).copy_(torch.empty(2, 5, dtype=torch.int64))
        assert first[1].item() == 1
        for unknown in (second, third):
            with pytest.raises(Exception, match="_local_scalar_dense"):
                unknown[1].item()


def test_what_has_memory_is_copied_with_it_inside_the_block():
    real = net()
    real[1].running_mean.fill_(3.0)
    with lt.no_weights():
        made = copy.deepcopy(real[1])
    assert made.running_mean.tolist() == [3.0] * 8
    assert made.running_mean.data_ptr() != real[1].running_mean.data_ptr()


CONVERSIONS = {
    "half": (lambda model: model.half(), 2),
    "bfloat16": (lambda model: model.bfloat16(), 2),
    "double": (lambda model: model.double(), 8),
    "to a type": (lambda model: model.to(torch.float16), 2),
    "there and back": (lambda model: model.half().float(), 4),
    "to meta": (lambda model: model.to("meta"), 4),
    "to empty": (lambda model: model.to_empty(device="cpu"), 4),
    "to empty on meta": (lambda model: model.to_empty(device="meta"), 4),
    "cpu": (lambda model: model.cpu(), 4),
    "channels last": (lambda model: model.to(memory_format=torch.channels_last), 4),
    "evaluation": (lambda model: model.eval(), 4),
    "frozen": (lambda model: model.requires_grad_(False), 4),
    "shared": (lambda model: model.share_memory(), 4),
    "compiled": (lambda model: torch.compile(model), 4),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_a_conversion_changes_bytes_and_nothing_else(name):
    convert, size = CONVERSIONS[name]
    with lt.no_weights():
        inside = convert(net())
    for model in (inside, convert(weightless())):
        dtype = next(model.parameters()).dtype
        assert dtype.itemsize == size
        counts = lt.count(model, torch.zeros(X, dtype=dtype))
        assert (counts.flop, counts.params, counts.warnings) == (FLOP, PARAMS, [])
        convolution = counts.by_op["aten::convolution"]
        assert convolution.bytes_read + convolution.bytes_written == NUMBERS * size


def test_parameters_whose_values_are_known_are_converted_and_stay_tied():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = nn.Linear(8, 8)
            self.tied = self.part.weight
            self.scale = nn.Parameter(torch.ones(8) * 1e-6)
            self.number = nn.Parameter(torch.tensor(2.0))

        def forward(self, x):
            return self.part(x) * self.scale * self.number

    with lt.no_weights():
        model = Scaled().half()
    model.double()
    assert model.number.item() == 2.0
    assert model.tied is model.part.weight
    assert lt.count(model, torch.zeros(2, 8, dtype=torch.float64)).flop == 2 * 2 * 8 * 8


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(
    not os.path.exists("/proc/self/statm"),
    reason="resident memory is read in /proc",
)
def test_conversions_and_copies_need_no_memory():
    with lt.no_weights():
        model = nn.Linear(200_000, 200_000, bias=False)
    before = resident_bytes()
    for convert, _ in CONVERSIONS.values():
        if convert is not CONVERSIONS["channels last"][0]:
            convert(model)
    copy.deepcopy(model)
    copy.copy(model)
    # 160 GB of weights, or 1 GB of whatever else runs in this interpreter.
    assert resident_bytes() - before < 2**30
    assert model.weight.numel() == 200_000**2


@pytest.mark.parametrize(
    "take",
    [
        pickle.dumps,
        lambda tensor: torch.save({"weight": tensor}, io.BytesIO()),
        lambda tensor: tensor.detach().numpy(),
        lambda tensor: tensor.__array__(),
    ],
)
def test_what_needs_memory_is_refused_in_a_sentence(take):
    with pytest.raises(lt.LaptimeError, match=r"8.27 float32.* has no memory: it cannot be"):
        take(weightless()[0].weight.reshape(8, 27))


def test_tensors_of_other_fake_modes_and_real_ones_stay_as_they_are():
    from torch._subclasses.fake_tensor import FakeTensorMode

    weightless()
    with FakeTensorMode():
        theirs = torch.empty(8)
    with pytest.raises(RuntimeError, match="not supported for tensor subclasses"):
        theirs.numpy()
    assert copy.copy(torch.ones(2)).tolist() == [1.0, 1.0]
    assert pickle.loads(pickle.dumps(torch.ones(2))).tolist() == [1.0, 1.0]
    assert torch.from_dlpack(torch.to_dlpack(torch.ones(2))).tolist() == [1.0, 1.0]
    first, second = torch.ones(2), torch.zeros(3)
    torch.utils.swap_tensors(first, second)
    assert (first.shape, second.shape) == ((3,), (2,))


def test_shapes_can_be_saved_without_values(tmp_path):
    with torch.serialization.skip_data(materialize_fake_tensors=True):
        torch.save(weightless().state_dict(), tmp_path / "shapes.pt")
    assert torch.load(tmp_path / "shapes.pt")["0.weight"].shape == (8, 3, 3, 3)
