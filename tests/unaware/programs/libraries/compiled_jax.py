"""jax: functions compiled, differentiated and mapped; its random keys; its traced text."""
# needs: jax

import jax
import jax.numpy as jnp
from seen import digest

traces = []


@jax.jit
def loss(w, x):
    traces.append(1)
    return jnp.square(jnp.tanh(x @ w)).mean()


w, x = jax.random.normal(jax.random.key(0), (2, 3, 3))
for _ in range(4):
    w = w - 0.1 * jax.grad(loss)(w, x)
print(
    len(traces), digest(jax.device_get(w)), digest(jax.device_get(jax.vmap(loss, (None, 0))(w, x)))
)
print(jax.make_jaxpr(loss)(w, x))
print(jax.jit(loss).lower(w, x).as_text()[:400])
try:
    jax.jit(lambda x: 1 if x > 0 else 0)(1.0)
except jax.errors.TracerBoolConversionError as error:
    print(type(error).__name__)
