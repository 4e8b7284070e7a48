"""Phases and modules: what ran when, and where its cost is filed."""

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
nn = torch.nn
checkpoint = pytest.importorskip("torch.utils.checkpoint").checkpoint

PRODUCT = 2 * 4 * 8 * 8


def linear():
    return nn.Linear(8, 8, bias=False)


def x(*, needs_grad=False):
    return torch.randn(4, 8, requires_grad=needs_grad)


def flop(rows):
    return {name: row.flop for name, row in rows.items()}


class Checkpointed(nn.Module):
    def __init__(self, *, reentrant):
        super().__init__()
        self.block = nn.Sequential(linear(), nn.ReLU(), linear())
        self.out = linear()
        self.reentrant = reentrant

    def forward(self, x):
        return self.out(checkpoint(self.block, x, use_reentrant=self.reentrant))


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_forward_that_runs_again_is_executed_work_in_its_module(reentrant):
    counts = lt.count(Checkpointed(reentrant=reentrant), x(needs_grad=True), backward=True)
    # Without reentry the engine stops when it has what it saved: the last product isn't needed.
    again = 2 if reentrant else 1
    assert counts.flop == 9 * PRODUCT
    assert counts.executed_flop == (9 + again) * PRODUCT
    assert flop(counts.by_phase) == {
        "forward": 3 * PRODUCT,
        "backward": 6 * PRODUCT,
        "recompute": 0,
    }
    rows = counts.by_module
    assert rows["block"].by_phase["recompute"].executed_flop == again * PRODUCT
    assert rows["block.0"].by_phase["recompute"].executed_flop == PRODUCT
    assert "recompute" not in rows["out"].by_phase
    assert rows["block"].calls == 1


def test_a_backward_is_filed_under_the_module_whose_forward_made_it():
    model = nn.Sequential(linear(), nn.Sequential(nn.Tanh(), linear()))
    counts = lt.count(model, x(needs_grad=True), backward=True)
    rows = counts.by_module
    assert flop(rows) == {
        "": 6 * PRODUCT,
        "0": 3 * PRODUCT,
        "1": 3 * PRODUCT,
        "1.0": 0,
        "1.1": 3 * PRODUCT,
    }
    assert flop(rows["1.1"].by_phase) == {"forward": PRODUCT, "backward": 2 * PRODUCT}
    assert rows["1.0"].by_phase["backward"].other_flop > 0


def test_a_shared_module_is_counted_per_call_and_its_parameters_once():
    shared = linear()
    counts = lt.count(nn.Sequential(shared, nn.ReLU(), shared), x())
    assert counts.flop == 2 * PRODUCT
    assert counts.params == 64
    assert sum(row.calls for path, row in counts.by_module.items() if path) == 3


def test_a_module_at_several_paths_is_filed_where_it_was_called():
    class Branch(nn.Module):
        def __init__(self, shared):
            super().__init__()
            self.head = shared

        def forward(self, x):
            return self.head(x)

    shared = linear()
    model = nn.ModuleDict({"left": Branch(shared), "right": Branch(shared)})

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = model

        def forward(self, x):
            return self.parts["right"](self.parts["left"](x)) + self.parts["right"](x)

    rows = lt.count(Both(), x(needs_grad=True), backward=True).by_module
    assert rows["parts.left.head"].flop == 3 * PRODUCT
    assert rows["parts.right.head"].flop == 6 * PRODUCT
    assert (rows["parts.left.head"].calls, rows["parts.right.head"].calls) == (1, 2)


def test_tied_weights_are_parameters_once_and_products_twice():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(16, 8)
            self.head = nn.Linear(8, 16, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, ids):
            return self.head(self.embed(ids))

    counts = lt.count(Tied(), torch.zeros(4, dtype=torch.long), backward=True)
    assert counts.params == 16 * 8
    rows = counts.by_module
    assert rows["head"].params == rows["embed"].params == 16 * 8
    assert counts.flop == 3 * 2 * 4 * 8 * 16


def test_the_ops_of_all_modules_are_the_ops_of_the_whole():
    counts = lt.count(Checkpointed(reentrant=False), x(), backward=True)
    assert sum(row.own.flop for row in counts.by_module.values()) == counts.flop
    assert sum(row.own.operations for row in counts.by_module.values()) == counts.operations
    assert sum(row.flop for row in counts.by_op.values()) == counts.flop
    assert sum(row.flop for row in counts.by_phase.values()) == counts.flop


def test_gradients_of_gradients_are_backward_and_not_recomputed():
    model = nn.Sequential(linear(), nn.Tanh())

    def penalty(x):
        (gradient,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
        return gradient.pow(2).sum()

    counts = lt.count(penalty, x(needs_grad=True), backward=True)
    assert "recompute" not in counts.by_phase
    assert counts.by_phase["forward"].flop == PRODUCT
    assert counts.by_phase["backward"].flop > PRODUCT


def test_a_function_of_the_users_own_is_counted_forward_and_backward():
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x, w)
            return x @ w

        @staticmethod
        def backward(ctx, gradient):
            x, w = ctx.saved_tensors
            return gradient @ w.t(), x.t() @ gradient

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.randn(8, 8))

        def forward(self, x):
            return Product.apply(x, self.w)

    counts = lt.count(nn.Sequential(Layer(), linear()), x(), backward=True)
    # Its backward computes the gradient of the input too, needed or not: that is what runs.
    assert counts.by_module["0"].flop == 3 * PRODUCT
    assert counts.flop == 6 * PRODUCT


def test_a_training_step_has_all_its_phases_and_the_parameters_of_its_model():
    model = linear()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()

    counts = lt.count(step, x())
    assert flop(counts.by_phase) == {"forward": PRODUCT, "backward": PRODUCT, "optimizer": 0}
    assert counts.by_phase["optimizer"].other_flop == 2 * 64
    assert counts.params == 64


@pytest.mark.parametrize("foreach", [True, False])
def test_adamw_counts_the_same_one_by_one_and_all_together(foreach):
    model = linear()
    optimizer = torch.optim.AdamW(model.parameters(), foreach=foreach)

    def step(x):
        model(x).sum().backward()
        optimizer.step()

    row = lt.count(step, x()).by_phase["optimizer"]
    assert row.coverage_ratio == 1.0
    assert 10 * 64 <= row.other_flop <= 16 * 64
    assert row.transcendental == pytest.approx(64, abs=8)


def test_a_loss_of_the_users_begins_the_backward():
    model = nn.Sequential(linear(), linear())
    half = lt.count(model, x(), backward=True, loss=lambda output: output[:2].sum())
    assert half.flop == 5 * PRODUCT
    with pytest.raises(TypeError, match="pass loss="):
        lt.count(torch.argmax, x(), backward=True)
    with pytest.raises(TypeError, match="loss is a function"):
        lt.count(model, x(), backward=True, loss=3)


def test_a_loss_without_a_backward_is_a_misunderstanding():
    with pytest.raises(ValueError, match="backward=True"):
        lt.count(torch.nn.Linear(2, 2), torch.zeros(1, 2), loss=torch.sum)


def test_the_loss_that_an_output_has_is_taken_before_the_sum_of_its_tensors():
    class Output:
        def __init__(self, loss, logits):
            self.loss = loss
            self.logits = logits

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.used = linear()
            self.unused = linear()

        def forward(self, x):
            return Output(self.used(x).sum(), self.unused(x))

    counts = lt.count(Model(), x(), backward=True)
    assert counts.by_module["used"].flop == 2 * PRODUCT
    assert counts.by_module["unused"].flop == PRODUCT
