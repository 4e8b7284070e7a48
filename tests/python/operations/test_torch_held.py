"""What a call holds takes part wherever it is held, and is as it was afterwards; exact figures."""

import copy
import functools
import gc
import signal
import weakref

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

import laptime as lt

MODES = ["fake", "real"]
# A layer of 4 by 5 on 3 rows: its forward, and the gradient of its weight.
ROWS, IN, OUT = 3, 4, 5
FORWARD = ROWS * IN * OUT
PARAMETERS = IN * OUT + OUT


class Trainer:
    """A step whose model nobody finds by looking for modules."""

    def __init__(self, optimizer=torch.optim.SGD):
        torch.manual_seed(0)
        self.held = [{"layer": nn.Linear(IN, OUT)}]
        self.optimizer = optimizer(self.layer.parameters(), lr=0.1)
        self.seen = torch.zeros(())
        self.losses = []

    @property
    def layer(self):
        return self.held[0]["layer"]

    def step(self, x):
        self.optimizer.zero_grad()
        loss = self.layer(x).sum()
        loss.backward()
        self.optimizer.step()
        self.seen += 1
        self.losses.append(loss)
        return loss


def tensors(*held):
    return [
        (id(it), type(it), it.dtype, it.detach().clone(), it.grad)
        for module in held
        for it in module.state_dict(keep_vars=True).values()
    ]


def same(one, other):
    return all(
        a[:3] == b[:3] and torch.equal(a[3], b[3]) and a[4] is b[4] for a, b in zip(one, other)
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_model_in_a_list_is_trained_on_stand_ins(mode):
    trainer, x = Trainer(torch.optim.AdamW), torch.randn(ROWS, IN)
    trainer.step(x)
    before, states = tensors(trainer.layer), str(trainer.optimizer.state_dict())
    assert lt.count(trainer.step, x, mode=mode).mac == 2 * FORWARD
    assert same(before, tensors(trainer.layer))
    assert str(trainer.optimizer.state_dict()) == states
    assert (float(trainer.seen), len(trainer.losses)) == (1.0, 1)
    trainer.step(x)
    assert type(trainer.layer.weight.grad) is torch.Tensor


@pytest.mark.parametrize("mode", MODES)
def test_an_optimizer_that_is_found_twice_steps_once(mode):
    trainer = Trainer()
    again = trainer.optimizer

    def step(x):
        again.zero_grad()
        trainer.layer(x).sum().backward()
        again.step()

    counts = lt.count(step, torch.randn(ROWS, IN), mode=mode)
    assert counts.by_phase["optimizer"].other_flop == 2 * PARAMETERS


@pytest.mark.parametrize("mode", ["auto", "real"])
def test_a_scaler_scales_on_stand_ins(mode):
    trainer, x = Trainer(), torch.randn(ROWS, IN)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)

    def step(x):
        trainer.optimizer.zero_grad()
        scaler.scale(trainer.layer(x).sum()).backward()
        scaler.step(trainer.optimizer)
        scaler.update()

    step(x)
    before, state = tensors(trainer.layer), scaler.state_dict()
    assert lt.count(step, x, mode=mode).mac == 2 * FORWARD
    # On fakes alone nobody can say whether a step is taken: that depends on gradients' values.
    with pytest.raises(lt.LaptimeError, match="no values"):
        lt.count(step, x, mode="fake")
    assert same(before, tensors(trainer.layer))
    assert scaler.state_dict() == state
    step(x)


@pytest.mark.parametrize("mode", MODES)
def test_objects_that_are_passed_are_not_longer_afterwards(mode):
    transformers = pytest.importorskip("transformers")
    cache, log = transformers.DynamicCache(), []
    cache.update(torch.zeros(1, 2, 3, 4), torch.zeros(1, 2, 3, 4), 0)

    def call(cache, log, x):
        keys, _ = cache.update(x, x, 0)
        log.append(keys.sum())
        return keys @ keys.mT

    counts = lt.count(call, cache, log, torch.ones(1, 2, 1, 4), mode=mode)
    assert counts.mac == 2 * 4 * 4 * 4  # two heads, four tokens after the update
    assert (cache.get_seq_length(), log) == (3, [])
    assert type(cache.layers[0].keys) is torch.Tensor


@pytest.mark.parametrize("mode", MODES)
def test_hooks_of_weights_take_part(mode):
    layer = nn.Linear(IN, OUT, bias=False)
    layer.weight.register_hook(lambda grad: grad @ (grad.T @ grad))
    counts = lt.count(layer, torch.randn(ROWS, IN), backward=True, mode=mode)
    assert counts.mac == 2 * FORWARD + 2 * OUT * IN * IN


@pytest.mark.parametrize("mode", MODES)
def test_optimizers_in_hooks_of_gradients_step(mode):
    layer = nn.Linear(IN, OUT)
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in layer.parameters()}
    for parameter in layer.parameters():
        parameter.register_post_accumulate_grad_hook(lambda it: optimizers[it].step())
    before = tensors(layer)
    counts = lt.count(lambda x: layer(x).sum().backward(), torch.randn(ROWS, IN), mode=mode)
    assert counts.by_phase["optimizer"].other_flop == 2 * PARAMETERS
    assert same(before, tensors(layer))


@pytest.mark.parametrize("mode", ["auto", "real"])
def test_a_sparse_tensor_in_a_closure_is_what_it_stores(mode):
    sparse = torch.eye(6).to_sparse()
    counts = lt.count(lambda x: sparse @ x, torch.randn(6, 7), mode=mode)
    assert counts.mac == 6 * 7


@pytest.mark.parametrize("mode", MODES)
def test_both_passes_of_a_sharpness_aware_step_are_counted(mode):
    layer, x = nn.Linear(IN, OUT), torch.randn(ROWS, IN)
    base = torch.optim.SGD(layer.parameters(), lr=0.1)

    def step():
        layer(x).sum().backward()
        with torch.no_grad():
            moves = [p.grad * 0.05 for p in layer.parameters()]
            for p, move in zip(layer.parameters(), moves):
                p.add_(move)
        base.zero_grad()
        layer(x).sum().backward()
        with torch.no_grad():
            for p, move in zip(layer.parameters(), moves):
                p.sub_(move)
        base.step()

    before = tensors(layer)
    assert lt.count(step, mode=mode).mac == 4 * FORWARD
    assert same(before, tensors(layer))


@pytest.mark.parametrize("mode", MODES)
def test_weights_and_generators_that_a_real_run_writes_are_as_before(mode):
    layer, own = nn.Linear(IN, OUT), torch.Generator().manual_seed(3)
    layer.centre = torch.zeros(OUT)

    def step(x):
        with torch.no_grad():
            layer.weight.clamp_(-0.1, 0.1)
            layer.centre += layer(x).mean(0)
        return torch.randn(3, generator=own) if mode == "real" else None

    before, state = tensors(layer), own.get_state()
    lt.count(step, torch.randn(ROWS, IN), mode=mode)
    assert same(before, tensors(layer))
    assert torch.equal(own.get_state(), state)
    assert not layer.centre.any()


def test_a_function_that_remembers_gives_real_tensors_afterwards():
    @functools.lru_cache(maxsize=4)
    def positions(count):
        return torch.arange(count)

    def fakes():
        gc.collect()
        return {id(one) for one in gc.get_objects() if type(one) is FakeTensor}

    before = fakes()
    lt.count(lambda: positions(5) + 1)
    assert type(positions(5)) is torch.Tensor
    assert fakes() <= before


def test_a_batch_that_a_count_took_comes_again():
    loader = torch.utils.data.DataLoader(torch.arange(12.0).view(6, 2), batch_size=2)
    batches, layer = iter(loader), nn.Linear(2, 2)

    class Step:
        def __init__(self):
            self.batches = batches

        def __call__(self):
            return layer(next(self.batches))

    step = Step()
    assert lt.count(step).mac == 2 * 2 * 2
    assert [batch[0, 0].item() for batch in step.batches] == [0.0, 4.0, 8.0]


def test_what_stands_for_an_iterator_is_copied_as_what_it_has_still_to_give():
    class Step:
        def __init__(self):
            self.turns = zip([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])

        def __call__(self, x):
            return x * next(self.turns)[0]

    step = Step()
    lt.count(step, torch.ones(2))
    copied = copy.copy(step.turns)
    assert next(copied) == (1.0, 4.0)
    assert copy.deepcopy(Step())(torch.ones(1)) == 1.0


def test_ctrl_c_while_what_is_held_is_looked_at_comes_out():
    class Looked(np.ndarray):
        def copy(self, order="C"):
            signal.raise_signal(signal.SIGINT)
            return super().copy()

    held = np.zeros(3).view(Looked)
    with pytest.raises(KeyboardInterrupt):
        lt.count(lambda x: x * held.shape[0], torch.ones(2))


@pytest.mark.parametrize("most", [None, 2])
def test_a_model_that_a_function_remembers_is_known_before_the_call(most):
    made = torch.nn.Linear(4, 3)

    @functools.lru_cache(maxsize=most)
    def the_model():
        return made

    def step(x):
        weights = {name: it * 1.0 for name, it in the_model().named_parameters()}
        handle = the_model().register_forward_hook(lambda *_: None)
        out = torch.func.functional_call(the_model(), weights, (x,))
        handle.remove()
        return out

    the_model()
    before = dict(made.named_parameters())
    for mode in ("fake", "real"):
        lt.count(step, torch.ones(2, 4), mode=mode, backward=True)
        assert dict(made.named_parameters()) == before
        assert not made._forward_hooks
    assert the_model.cache_info().currsize == 1


def test_large_collections_are_put_back_and_not_entered():
    many, few = [[] for _ in range(100_001)], [[]]

    def step(x):
        many.append([])
        many[0].append(1)
        few[0].append(1)
        return x + 1

    lt.count(step, torch.ones(2))
    assert (len(many), few) == (100_001, [[]])
    assert many[0] == [1]  # as documented


def test_arrays_that_did_not_change_are_not_written():
    values = np.arange(3.0)

    def step(x):
        values.flags.writeable = False  # to write to it raises now
        return x * float(values[1])

    lt.count(step, torch.ones(2))
    assert values.tolist() == [0.0, 1.0, 2.0]


def test_a_generator_under_way_keeps_nothing_alive_longer():
    def batches():
        while True:
            batch = Batch()
            yield batch
            del batch

    class Batch:
        pass

    class Step:
        def __init__(self):
            self.batches = batches()

        def __call__(self, x):
            return x + 1

    step = Step()
    first = weakref.ref(next(step.batches))
    lt.count(step, torch.ones(2))
    next(step.batches)
    assert first() is None


def test_switches_that_the_call_changes_are_as_before():
    def step(x):
        torch.set_default_dtype(torch.float64)
        torch.use_deterministic_algorithms(True)
        torch.set_grad_enabled(False)
        return x @ x

    lt.count(step, torch.ones(2, 2))
    assert torch.get_default_dtype() is torch.float32
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.is_grad_enabled()


def test_a_loss_of_before_the_count_is_refused():
    loss = nn.Linear(2, 2)(torch.ones(1, 2)).sum()
    with pytest.raises(lt.LaptimeError, match="computed before the count"):
        lt.count(lambda: loss.backward())
    loss.backward()
